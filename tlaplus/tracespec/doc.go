// Package tracespec judges a log by a trace spec: a TLA+ module, written for TLC, that
// reads the log and follows it step by step. The question is whether
// some path consumes the log; the spec's own test says so, in one of four ways:
//
//   - a PROPERTY over a variable that counts the lines;
//   - a POSTCONDITION over TLCGet("stats") or registers;
//   - an ACTION_CONSTRAINT that indexes the log by TLCGet("level");
//   - none: the path that goes furthest has to consume the whole log.
//
// The verdict is TLC's, with one exception. An invariant or a property of steps is violated
// only where each path that consumes the log breaks it. Where no path does, each that came
// furthest counts. Options.AnyPath has TLC's way.
package tracespec
