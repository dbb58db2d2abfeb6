package specs_test

import (
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"tracecheck/internal/exhaustive"
	"tracecheck/specs"
	"tracecheck/specs/internal/swarm"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// A run over a recording that is cut and gone on with from what it saved says
// what one without a break says; a damaged state makes nothing panic.
func TestCutRecordings(t *testing.T) {
	for k, profile := range []string{swarm.Moby, validators.ProfileSpec} {
		for i, path := range recordings(t, "../testdata/traces") {
			if !exhaustive.Asked() && i%8 != 4*k {
				continue // a quarter of the recordings, each under one profile
			}
			name := filepath.Base(path)
			t.Run(profile+"/"+name, func(t *testing.T) {
				lines := validatorstest.ReadTrace(t, path)
				seed, places := uint64(len(lines)), exhaustive.Or(3, 20)
				opts := validators.Options{Specs: specs.All(), Select: []string{"swarmkit"}, Profile: profile}
				validatorstest.CutSome(t, name, lines, opts, places/2, seed)
				opts.Deadline = 10 * time.Second
				validatorstest.CutSome(t, name, lines, opts, places-places/2, seed+1)
				opts.Attach = true
				validatorstest.CutSome(t, name, lines, opts, 1, seed+2)
				rng := rand.New(rand.NewPCG(seed, 13))
				for range places {
					validatorstest.Damage(t, name, lines, opts, rng)
				}
			})
		}
	}
}
