package judgeflags

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"tracecheck/ingest/mapping"
	"tracecheck/ingest/mapping/ready"
	"tracecheck/internal/nearest"
	"tracecheck/validators"
)

// MapFlag names the rules for a log in another format.
func MapFlag(to *string) cli.Flag {
	return &cli.StringFlag{Name: "map", Destination: to, Usage: "the files are logs in another format; `FILE` has rules that turn their lines into events, or names built-in rules (tracecheck map --list)", DefaultText: "the files are traces"}
}

// Rules reads built-in rules by their name, or a file of rules. Their meta must fit the
// specs in all. Without a name, it returns nil.
func Rules(file string, all []*validators.Spec) (*mapping.Rules, error) {
	if file == "" {
		return nil, nil
	}
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

// NoFile is the error for the name of something else in place of a file's, nil for other names.
func NoFile(names []string, all []*validators.Spec) error {
	for _, name := range names {
		if _, err := os.Stat(name); err == nil {
			continue
		}
		if slices.Contains(SpecNames(all), name) {
			return fmt.Errorf("%s is a spec, not a file: to judge by it, add --spec %s", name, name)
		}
		switch {
		case strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://"):
			return fmt.Errorf("%s is a URL, not a file: download it first, or pipe it: `curl -sSL URL | tracecheck COMMAND -`", name)
		case strings.ContainsAny(name, "*?"):
			return fmt.Errorf("no file has the name %s: in a shell, leave the quotes of a pattern out, and check the folder", name)
		}
		if i := strings.LastIndex(name, ":"); i > 0 {
			if _, err := os.Stat(name[:i]); err == nil {
				return fmt.Errorf("%s is a line of %s: name the file, and give the line to `explain --line`, `slice --around` or `state --at`", name, name[:i])
			}
		}
	}
	return nil
}
