package export

import (
	"errors"
	"slices"

	"tracecheck/internal/kinds"
	"tracecheck/postmortem/replay"
	"tracecheck/trace"
)

var updateCluster = module{
	spec: "updatecluster", name: "UpdateCluster",
	variables: []string{"queue", "confOK", "lastSubmitted", "clusterState", "reqState"},
	needs:     []string{"reqState", "clusterState"},
	kinds:     []trace.Kind{kinds.Request, kinds.Cluster},
	read: func(_ *reading, s map[string]value) (objects, error) {
		var list objects
		queued := map[string]bool{}
		for _, r := range s["queue"].items {
			queued[r.text] = true
		}
		for _, e := range s["reqState"].entries() {
			status, _ := e.value.field("status")
			rank, _ := e.value.field("rank")
			o := list.add(kinds.Request, e.key.text).set("status", raw(status)).set("rank", orNull(rank))
			o.set("queued", boolean(queued[e.key.text]).text)
		}
		of, _ := s["clusterState"].field("req")
		complete, _ := s["clusterState"].field("complete")
		request := raw(of)
		if _, is := s["reqState"].field(of.text); !is && of.text == noValue {
			request = "null"
		}
		list.add(kinds.Cluster, "").set("request", request).set("complete", raw(complete)).
			set("last_submitted", raw(s["lastSubmitted"])).set("conf_ok", raw(s["confOK"]))
		return list, nil
	},
	write: func(w *writing) (map[string]value, error) {
		queue, requests := set(), function()
		for _, o := range w.of(kinds.Request) {
			rank := fromJSON(o.Get("rank"))
			if o.Get("rank") == "" {
				rank = model(noValue)
			}
			requests.put(id("request", o.ID), record("status", fromJSON(o.Get("status")), "rank", rank))
			if o.Get("queued") == "true" {
				queue.items = append(queue.items, id("request", o.ID))
			}
			if n := whole(rank); n > w.last {
				w.last = n
			}
		}
		o := w.stream.Object(kinds.Cluster, "")
		if o == nil {
			return nil, errNoCluster
		}
		for _, touched := range w.touched {
			if touched.kind == kinds.Cluster && touched.has("last_submitted") {
				w.last = whole(fromJSON(o.Get("last_submitted")))
			}
		}
		conf := fromJSON(o.Get("conf_ok"))
		if o.Get("conf_ok") == "" {
			conf = boolean(w.survey.confOK())
		}
		request := model(noValue)
		if of := text(o, "request"); of != "" {
			request = id("request", of)
		}
		return map[string]value{
			"queue": queue, "confOK": conf, "lastSubmitted": integer(w.last), "reqState": requests,
			"clusterState": record("req", request, "complete", fromJSON(o.Get("complete"))),
		}, nil
	},
	begin: func(w *writing) {
		w.assume(kinds.Cluster, "", `{"complete":true,"last_submitted":0,"conf_ok":`+boolean(w.survey.confOK()).text+`}`)
		for _, r := range w.survey.requests {
			w.assume(kinds.Request, r, `{"status":"waiting"}`)
		}
	},
	constants: func(c *checking) {
		c.cfg("Reqs = %s", c.sort("request"))
		c.cfg("NULL = NULL")
	},
	checks: checks{invariants: []string{"TypeInvariants"}},
}

var errNoCluster = errors.New("the cluster is deleted, and a variable cannot be deleted: cut the trace before this line")

// noValue is NULL.
const noValue = "NULL"

func orNull(v value) string {
	if v.kind == aString && v.text == noValue {
		return "null"
	}
	return raw(v)
}

// pushed are the requests that the step shows in the queue, or takes from it,
// though no line has logged that they are in it: they were pushed to it before.
func (w *writing) pushed(before func(id string) *replay.Object) []string {
	var list []string
	for _, touched := range w.touched {
		if touched.kind != kinds.Request || slices.Contains(list, touched.id) {
			continue
		}
		was, is := before(touched.id), w.stream.Object(kinds.Request, touched.id)
		if was == nil || is == nil || was.Get("queued") != "" || text(was, "status") != "valid" {
			continue
		}
		if text(is, "status") == "processing" || is.Get("queued") == "true" {
			list = append(list, touched.id)
		}
	}
	return list
}
