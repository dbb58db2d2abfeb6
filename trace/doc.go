// Package trace reads format 1: events as JSON lines, and the steps that the
// lines of a stream make. docs/format.md is its reference. The package does no
// I/O, and judges nothing.
//
// Specs register their kinds of objects and fields, by package variables. Those
// of this module's specs are constants here. Others use NewKind and NewField.
package trace
