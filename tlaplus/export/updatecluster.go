package export

import (
	"cmp"
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
		queued := map[string]string{}
		for _, r := range s["queue"].items {
			if odd, ok := r.elements(); ok && len(odd) == 2 {
				queued[odd[0].text] = raw(odd[1])
			} else {
				queued[r.text] = "true"
			}
		}
		for _, e := range s["reqState"].entries() {
			status, _ := e.value.field("status")
			rank, _ := e.value.field("rank")
			o := list.add(kinds.Request, e.key.text).set("status", raw(status)).set("rank", orNull(rank))
			o.set("queued", cmp.Or(queued[e.key.text], "false"))
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
			switch queued := o.Get("queued"); queued {
			case "", "null", "false":
			case "true":
				queue.items = append(queue.items, id("request", o.ID))
			default: // outside its type: no request is a tuple
				queue.items = append(queue.items, tuple(id("request", o.ID), fromJSON(queued)))
			}
			if n := whole(rank); n > w.last {
				w.last = n
			}
		}
		o := w.stream.Object(kinds.Cluster, "")
		if o == nil {
			return nil, errNoCluster
		}
		last := integer(w.last)
		for _, touched := range w.touched {
			if touched.kind == kinds.Cluster && touched.has("last_submitted") {
				if last = fromJSON(o.Get("last_submitted")); last.kind == anInteger {
					w.last = whole(last)
				}
			}
		}
		conf := fromJSON(o.Get("conf_ok"))
		if o.Get("conf_ok") == "" {
			conf = boolean(w.survey.confOK())
		}
		return map[string]value{
			"queue": queue, "confOK": conf, "lastSubmitted": last, "reqState": requests,
			"clusterState": record("req", named("request", o.Get("request"), model(noValue)), "complete", fromJSON(o.Get("complete"))),
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
