// Package trace is format 1: events as lines of JSON, and the steps that the
// lines of one stream make. docs/format.md is its reference. The package does
// no I/O and knows no spec.
package trace
