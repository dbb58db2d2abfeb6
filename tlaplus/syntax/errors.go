package syntax

import (
	"fmt"
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

// Errors are all errors of a text, in its order; at least one.
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
