//go:build !linux

package command

import "github.com/rogpeppe/go-internal/testscript"

func terminal(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Fatalf("no terminals here: skip this script")
}
