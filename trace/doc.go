// Package trace is format 1: events as lines of JSON, and the steps that the
// lines of one stream make. docs/format.md is its reference. The package does
// no I/O and judges nothing.
//
// Kinds of objects and their fields are registered, by package variables: those of
// this module's specs are constants here, and a spec elsewhere has its own by NewKind
// and NewField.
package trace
