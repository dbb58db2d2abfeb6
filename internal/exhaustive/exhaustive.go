// Package exhaustive decides how much the tests try: a fixed share of all cases, or all
// of them.
package exhaustive

import "os"

// Asked reports whether the tests shall try all: whether the environment
// variable TRACECHECK_EXHAUSTIVE is set, and not empty.
func Asked() bool { return os.Getenv("TRACECHECK_EXHAUSTIVE") != "" }

// Or is all where it is asked for, and else the share.
func Or[T any](share, all T) T {
	if Asked() {
		return all
	}
	return share
}
