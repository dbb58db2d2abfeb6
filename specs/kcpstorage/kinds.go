package kcpstorage

import "tracecheck/trace"

// The kinds that are this spec's own.
var _ = [...]trace.Kind{trace.NewKind("namespace"), trace.NewKind("pvc"), trace.NewKind("syncer")}
