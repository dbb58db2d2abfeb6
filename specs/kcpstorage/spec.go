// Package kcpstorage is kcpStorage.tla: a namespace is assigned to a cluster, a
// controller has its persistent volume claims (PVCs) follow it, and each
// cluster's syncer learns by itself whether it may use them. Actions and
// clauses carry the text's own words.
//
// The module models one namespace and one PVC. A stream may hold many
// namespaces; each is judged on its own, with its PVCs and syncers.
package kcpstorage

import (
	"encoding/json"
	"errors"
	"fmt"

	"tracecheck/trace"
	"tracecheck/validators"
)

// Spec is the specification, as a value.
var Spec = &validators.Spec{
	Name:   "kcpstorage",
	Module: "kcpStorage",
	Doc: "Namespaces of kcp, their PVCs and the clusters' syncers: only the cluster that a namespace is assigned to may use its data. " +
		"Each namespace of a stream is judged on its own.",
	Source: "kcpStorage.tla",
	Kinds:  []trace.Kind{trace.KindNamespace, trace.KindPVC, trace.KindSyncer},
	Constants: []validators.ConstantDoc{{
		Name: "clusters", Type: "array of names, at least one", Default: "the clusters that the stream has shown",
		Doc: "CLUSTERS: the set of clusters that workloads can be assigned to.",
	}},
	Actions: next.Describe(),
	Rules: []validators.RuleDoc{
		typeOK, nsAtMostOneCluster.Describe(), pvcAtMostOneCluster.Describe(), usableByAtMostOne.Describe(),
	},
	Temporal: temporal,
	Waits:    waits,
	New:      newMachine,

	Branches: branches.Describe(),
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
