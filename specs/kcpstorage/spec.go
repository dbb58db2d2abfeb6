// Package kcpstorage is kcpStorage.tla. A namespace is assigned to a cluster. A
// controller assigns its persistent volume claims (PVCs) to the same cluster. Each
// cluster's syncer reads from the namespace whether it may use them. Actions and
// clauses have the words of the text.
//
// The module models one namespace and one PVC. A stream may hold many
// namespaces; each is judged on its own, with its PVCs and syncers.
package kcpstorage

import (
	"encoding/json"
	"errors"
	"fmt"

	"tracecheck/trace/codec"
	"tracecheck/validators"
	"tracecheck/validators/model"
)

// Spec is the specification, as a value.
var Spec = text.Spec()

// text is the module. Terminating never happens: pc, which is left out, never is
// Done. The process User only skips, and is not in Next.
var text = &model.Model[State, witness]{
	Name:   "kcpstorage",
	Module: "kcpStorage",
	Doc: "kcp assigns namespaces and their persistent volume claims (PVCs) to clusters. Each cluster has a syncer. Only the " +
		"cluster that a namespace is assigned to may use its data. Each namespace of a stream is judged separately.",
	Source: "kcpStorage.tla",
	Constants: []validators.ConstantDoc{{
		Name: "clusters", Type: "array of names, at least one", Default: "the clusters that the stream has named",
		Doc: "CLUSTERS: the set of clusters that workloads can be assigned to.",
	}},
	Type: typeOK, Calls: "process", First: true,

	New:    newState,
	Attach: func(s *State) { s.attach = true },
	Tables: []model.Table[State]{namespaces, pvcs, syncers},
	Next:   []*action{namespaceController, pvcController, syncerProcess},
	Rules:  []model.Judged[State]{nsAtMostOneCluster, pvcAtMostOneCluster, usableByAtMostOne},

	Temporal: temporal, Waits: waits,

	Begin:  (*State).begin,
	Enter:  (*State).enter,
	Code:   func(s *State, c *codec.Codec) { s.clusters.Code(c) },
	Search: search,
}

func newState(c validators.Config) (*State, error) {
	names, err := clusterNames(c.Constants)
	s := &State{clusters: model.NewSymbols(names), places: map[model.Symbol]place{}}
	r := &model.Row[Namespace]{Value: newNamespace()}
	s.nowhere = spaceOf(r)
	s.nowhere.unknown = true
	return s, err
}

// clusterNames reads the constant clusters, nil where it is not given.
func clusterNames(constants map[string]string) ([]string, error) {
	raw, ok := constants["clusters"]
	if !ok {
		return nil, nil
	}
	var names []string
	if err := json.Unmarshal([]byte(raw), &names); err != nil {
		return nil, fmt.Errorf("constant clusters must be an array of names, not %s", raw)
	}
	if len(names) == 0 {
		return nil, errors.New("constant clusters must name a cluster (ASSUME Cardinality(CLUSTERS) > 0)")
	}
	return names, nil
}
