package judgeflags

import (
	"errors"
	"fmt"
	"io/fs"

	"tracecheck/ingest/mapping"
	"tracecheck/ingest/mapping/ready"
	"tracecheck/internal/nearest"
	"tracecheck/validators"
)

// Rules reads the rules that name names: those of the program, or a file. Their meta must
// suit the specs that there are.
func Rules(file string, all []*validators.Spec) (*mapping.Rules, error) {
	rules, err := ready.Load(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: write it; `tracecheck help map` shows a first one%s", err, nearest.Hint(file, ready.Names()))
	}
	if err != nil {
		return nil, err
	}
	if meta, line := rules.Meta(); line > 0 {
		_, err := validators.NewRunner(validators.Options{
			Specs: all, Select: meta.Specs, Profile: meta.Profile, Constants: meta.Constants,
		})
		if err != nil {
			return nil, fmt.Errorf("%s:%d: meta: %w", file, line, err)
		}
	}
	return rules, nil
}
