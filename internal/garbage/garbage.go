// Package garbage is for tests that make much garbage while little lives: by
// default, collecting it takes up to a third of their time.
package garbage

import (
	"os"
	"runtime/debug"
)

// Seldom has the garbage collector come when the heap is five times what lives,
// unless the environment variable GOGC says when. It is for TestMain.
func Seldom() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}
