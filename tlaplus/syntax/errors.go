package syntax

import (
	"fmt"
	"sort"
	"strings"
)

// Error is one thing that is wrong with a text.
type Error struct {
	File string
	Span
	Msg string // what was found and what was expected
}

// Error prints file:line:column: message.
func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.From.Line, e.From.Col, e.Msg)
}

// Errors are all errors of some texts, in their order; at least one.
type Errors []*Error

// Error prints each error on a line.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, err := range e {
		lines[i] = err.Error()
	}
	return strings.Join(lines, "\n")
}

// maxErrors bounds the errors of one text that are reported.
const maxErrors = 20

// Sorted returns the errors in the text's order, the first of them if there are many.
func (e Errors) Sorted() Errors {
	sort.SliceStable(e, func(i, j int) bool {
		if e[i].File != e[j].File {
			return e[i].File < e[j].File
		}
		return e[i].From.before(e[j].From)
	})
	return e[:min(len(e), maxErrors)]
}

func (a Pos) before(b Pos) bool { return a.Line < b.Line || a.Line == b.Line && a.Col < b.Col }
