// Package updatecluster walks UpdateCluster.tla: requests to update a cluster,
// from their submission to their end.
package updatecluster

import (
	"strconv"

	"tracecheck/internal/generate/walk"
	"tracecheck/internal/kinds"
	"tracecheck/trace"
)

// status is of a request.
type status uint8

const (
	submitted status = iota
	rejected
	valid
	processing
	partial
	partialFailure
	success
	failure
	rolledback
)

var statusNames = [...]string{
	"submitted", "rejected", "valid", "processing", "partial", "partialFailure", "success", "failure", "rolledback",
}

// request is an element of Reqs that was submitted. One to which nothing can
// happen any more is forgotten.
type request struct {
	walk.Mark
	id     int64
	rank   int64
	status status
	queued bool // \in queue
	held   bool // the walk leaves it alone, since it is to wait
	place  int32
}

// Place implements walk.Member: it is in one set at a time.
func (r *request) Place(int) *int32 { return &r.place }

// Fields of a request, and of the cluster.
const (
	fieldStatus walk.Fields = 1 << iota
	fieldQueued
	fieldRequest
	fieldComplete
	fieldLast
)

func (r *request) Kind() trace.Kind { return kinds.Request }

func (r *request) AppendID(b []byte) []byte { return strconv.AppendInt(append(b, 'r'), r.id, 10) }

func (r *request) AppendFields(b []byte, f walk.Fields) []byte {
	b = append(b, '{')
	if f == walk.All {
		b = append(strconv.AppendInt(append(b, `"rank":`...), r.rank, 10), ',')
	}
	if f&fieldStatus != 0 {
		b = append(append(append(b, `"status":"`...), statusNames[r.status]...), '"')
	}
	if f&fieldQueued != 0 {
		if f&fieldStatus != 0 {
			b = append(b, ',')
		}
		b = strconv.AppendBool(append(b, `"queued":`...), r.queued)
	}
	return append(b, '}')
}

// cluster is the other variables.
type cluster struct {
	walk.Mark
	request       *request // clusterState.req; nil: NULL
	complete      bool
	lastSubmitted int64
	confOK        bool
}

func (c *cluster) Kind() trace.Kind { return kinds.Cluster }

func (c *cluster) AppendID(b []byte) []byte { return b }

func (c *cluster) AppendFields(b []byte, f walk.Fields) []byte {
	sep := byte('{')
	key := func(name string) {
		b = append(append(append(b, sep, '"'), name...), '"', ':')
		sep = ','
	}
	if f&fieldRequest != 0 {
		if key("request"); c.request == nil {
			b = append(b, "null"...)
		} else {
			b = append(c.request.AppendID(append(b, '"')), '"')
		}
	}
	if f&fieldComplete != 0 {
		key("complete")
		b = strconv.AppendBool(b, c.complete)
	}
	if f&fieldLast != 0 {
		key("last_submitted")
		b = strconv.AppendInt(b, c.lastSubmitted, 10)
	}
	if f == walk.All {
		key("conf_ok")
		b = strconv.AppendBool(b, c.confOK)
	}
	return append(b, '}')
}
