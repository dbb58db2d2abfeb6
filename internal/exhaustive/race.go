//go:build race

package exhaustive

// Race reports whether the race detector is on. Counts of allocations then mean
// nothing: less is inlined, and pools forget what they hold.
const Race = true
