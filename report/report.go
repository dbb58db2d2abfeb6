// Package report renders what a run found, for people and for programs, and
// the specs that it was judged by. It adds nothing to a result: what is not in
// the value given is not in the report.
package report

// TextOptions is how a report for people looks.
type TextOptions struct {
	Color bool     // mark with ANSI colour codes
	Width int      // the terminal's columns; 0: there is none
	Notes []string // the caller's own remarks, each a paragraph after the violations
}
