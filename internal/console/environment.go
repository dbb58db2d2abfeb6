package console

import (
	"io"

	"tracecheck/validators"
)

// Environment is all that a run has from its program and process.
type Environment struct {
	Specs  []*validators.Spec // that the program has
	Args   []string           // with the program's name
	Stdin  io.Reader
	Stdout io.Writer // results alone
	Stderr io.Writer // everything else; run escapes what a terminal would obey
	Screen io.Writer // Stderr as it is, for what moves the cursor
	Getenv func(string) string

	// Collect sets when garbage is collected, before a command that makes much. The evaluation
	// of a module makes more. A large input needs much memory; nil: that is left as it is.
	Collect func(module, large bool)
	// Grown is called often with the number of live objects, for the same; nil: nobody asks.
	Grown func(objects int)
}
