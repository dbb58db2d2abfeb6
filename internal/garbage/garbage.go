// Package garbage sets when garbage is collected.
package garbage

import (
	"os"
	"runtime/debug"
)

// Seldom has the garbage collector run when the heap is five times what lives. The environment
// variable GOGC overrides this. It is for TestMain of tests that make much garbage while
// little lives: collecting it takes up to a third of their time.
func Seldom() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}
