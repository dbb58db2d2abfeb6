// Package report renders results, and the specs that judged them, for people
// and for programs. It adds no information to them.
package report

// TextOptions are the settings of a report for people.
type TextOptions struct {
	Color bool     // use ANSI colour codes
	Width int      // the terminal's columns; 0: no terminal
	Notes []string // remarks of the caller, each a paragraph after the violations

	Explain string // the command that explains the first violating step; "": none does
}
