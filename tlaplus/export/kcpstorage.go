package export

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"tracecheck/internal/kinds"
	"tracecheck/trace"
)

var kcpStorage = module{
	spec: "kcpstorage", name: "kcpStorage",
	variables: []string{"ns", "pvc", "pc", "pvc_state"},
	needs:     []string{"ns", "pvc", "pvc_state"},
	kinds:     []trace.Kind{kinds.Namespace, kinds.PVC, kinds.Syncer},
	read: func(r *reading, s map[string]value) (objects, error) {
		var list objects
		namespace := r.instance
		if namespace == "" {
			namespace = "ns"
		}
		list.add(kinds.Namespace, namespace).set("clusters", rawClusters(s["ns"]))
		list.add(kinds.PVC, "pvc").set("namespace", quoted(namespace)).set("clusters", rawClusters(s["pvc"]))
		for _, e := range s["pvc_state"].entries() {
			list.add(kinds.Syncer, e.key.text).set("namespace", quoted(namespace)).set("pvc_state", raw(e.value))
		}
		return list, nil
	},
	write: func(w *writing) (map[string]value, error) {
		local := function()
		pc := function()
		pc.put(model("NC"), str("Start_"))
		pc.put(model("PVCC"), str("Start_P"))
		for i, c := range w.survey.clusters {
			state, known := str("nil"), w.survey.isCluster(i)
			for _, o := range w.of(kinds.Syncer) {
				if o.ID == c && text(o, "namespace") == w.instance {
					state, known = syncState(o.Get("pvc_state")), true
				}
			}
			if known {
				local.put(id("cluster", c), state)
				pc.put(id("cluster", c), str("Start"))
			}
		}
		ns, pvc, pvcs := "", "", 0
		if o := w.stream.Object(kinds.Namespace, w.instance); o != nil {
			ns = o.Get("clusters")
		}
		for _, o := range w.of(kinds.PVC) {
			if text(o, "namespace") == w.instance {
				pvc = o.Get("clusters")
				pvcs++
			}
		}
		if pvcs > 1 {
			return nil, fmt.Errorf("the namespace %q has %d PVCs, and kcpStorage has one: leave the others out", w.instance, pvcs)
		}
		return map[string]value{"ns": w.clusters(ns), "pvc": w.clusters(pvc), "pc": pc, "pvc_state": local}, nil
	},
	begin: func(*writing) {},
	constants: func(c *checking) {
		c.cfg("CLUSTERS = %s", c.clusters())
		for _, name := range []string{"NC", "PVCC", "U"} {
			c.cfg("%s = %s", name, name)
		}
	},
	checks: checks{invariants: []string{"TypeOK", "Inv_NSAtMostOneCluster", "Inv_PVCAtMostOneCluster", "Inv_UsableByAtMostOne"}},
}

func rawClusters(f value) string {
	if !f.isFunction() {
		return raw(f)
	}
	var parts []string
	for _, e := range f.entries() {
		parts = append(parts, quoted(e.key.text)+":"+raw(e.value))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// clusters is the map of all clusters to their states.
func (w *writing) clusters(json string) value {
	states, all := map[string]string{}, gjson.Parse(json)
	if all.Type != gjson.Null && !all.IsObject() { // outside its type
		return fromJSON(json)
	}
	all.ForEach(func(key, v gjson.Result) bool {
		states[key.Str] = v.Raw
		return true
	})
	f := function()
	for i, c := range w.survey.clusters {
		if state := states[c]; w.survey.isCluster(i) || state != "" && state != "null" {
			f.put(id("cluster", c), syncState(state))
		}
	}
	return f
}

func syncState(json string) value {
	if json == "" || json == "null" {
		return str("nil")
	}
	return fromJSON(json)
}

// clustersOf are the clusters that a line maps.
func clustersOf(ev *trace.Event) (names []string) {
	gjson.Parse(ev.Fields.Get(fieldClusters).Str).ForEach(func(key, _ gjson.Result) bool {
		names = append(names, key.Str)
		return true
	})
	return names
}

// clusters is the constant, or else all that there are.
func (c *checking) clusters() string {
	list := gjson.Parse(c.constants["clusters"])
	if !list.IsArray() {
		return c.sort("cluster")
	}
	var names []string
	for _, name := range list.Array() {
		names = append(names, c.identifier(id("cluster", name.Str)))
	}
	return "{" + strings.Join(names, ", ") + "}"
}
