// Package walk has what the generated walks of all specs are made of: chance,
// sets of candidates, and the steps that become lines of a trace.
package walk

import (
	"math/bits"
	"math/rand/v2"
)

// Rand is chance, the same for the same seed on every machine. (The methods of
// rand.Rand depend on the size of an int.)
type Rand struct{ pcg *rand.PCG }

// NewRand returns the stream-th sequence of the seed.
func NewRand(seed, stream uint64) *Rand { return &Rand{rand.NewPCG(seed, stream)} }

// N returns one of 0..n-1; n is at least 1.
func (r *Rand) N(n int) int {
	hi, _ := bits.Mul64(r.pcg.Uint64(), uint64(n))
	return int(hi)
}

// In returns one of least..most.
func (r *Rand) In(least, most int) int { return least + r.N(most-least+1) }

// Chance is true in n of 1000 cases.
func (r *Rand) Chance(n int) bool { return r.N(1000) < n }
