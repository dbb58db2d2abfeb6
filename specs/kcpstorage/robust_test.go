package kcpstorage_test

import (
	"testing"

	"tracecheck/specs/kcpstorage"
	"tracecheck/validators/validatorstest"
)

var noise = validatorstest.Noise{
	Kinds: []string{"namespace", "pvc", "syncer"}, IDs: []string{"c1", "c2", "a"},
	Fields: []string{"clusters", "clusters", "namespace", "pvc_state", "other"},
	Values: []string{`{"c1":"Sync"}`, `{"c1":"nil","c2":"Sync"}`, `{"c1":null}`, `{"c2":"Empty"}`, `"Sync"`, `"nil"`, `"a"`, `"b"`},
}

func TestAnyInputIsJudged(t *testing.T) {
	validatorstest.CheckAnyInput(t, kcpstorage.Spec, noise, 3000)
}
