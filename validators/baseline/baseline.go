// Package baseline has files of known violations: those that a team has seen, and
// accepted for now. A run counts them, and reports the others.
package baseline

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v4"

	"tracecheck/internal/files"
	"tracecheck/internal/yamldoc"
	"tracecheck/validators"
)

// Known is a violation of a baseline.
type Known struct {
	Fingerprint string // validators.Violation.Fingerprint
	Violation   string // what it is, for people
	Why         string // who accepted it, and why
}

// Baseline is a file of known violations.
type Baseline struct {
	File string
	List []Known // in the file's order, each fingerprint once
}

var keys = []string{"fingerprint", "violation", "why"}

// Load reads a baseline. Its errors have the file's name and the lines.
func Load(file string) (*Baseline, error) {
	data, err := files.Read(file, files.Document)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: write it with `tracecheck validate --write-baseline`", err)
	}
	if err != nil {
		return nil, err
	}
	return Parse(file, data)
}

// Parse is Load of data; file is the name in errors.
func Parse(file string, data []byte) (*Baseline, error) {
	b := &Baseline{File: file}
	root, err := yamldoc.Document(file, data)
	if err != nil || root == nil {
		return b, err
	}
	r := yamldoc.Reader{File: file}
	for _, p := range r.Pairs(root, "a baseline", []string{"violations"}) {
		if p.Value.Kind != yaml.SequenceNode {
			r.Fault(p.Value, "violations is a list, not %s", yamldoc.Shape(p.Value))
			continue
		}
		for _, item := range p.Value.Content {
			var k Known
			item = r.Visit(item)
			for _, m := range r.Pairs(item, "a violation", keys) {
				if m.Value.Kind == yaml.ScalarNode && m.Value.Value == "" {
					continue // not reported yet
				}
				to := map[string]*string{"fingerprint": &k.Fingerprint, "violation": &k.Violation, "why": &k.Why}[m.Name]
				*to = r.Text(m.Value, m.Name)
			}
			if k.Fingerprint == "" {
				r.Fault(item, "the violation has no fingerprint: write the file with --write-baseline")
			}
			b.add(k)
		}
	}
	return b, r.Err()
}

func (b *Baseline) add(k Known) {
	if !b.Has(k.Fingerprint) {
		b.List = append(b.List, k)
	}
}

// Has reports whether the violation with the fingerprint is known.
func (b *Baseline) Has(fingerprint string) bool {
	for i := range b.List {
		if b.List[i].Fingerprint == fingerprint {
			return true
		}
	}
	return false
}

// Fingerprints returns the fingerprints of all known violations. b may be nil.
func (b *Baseline) Fingerprints() map[string]bool {
	if b == nil {
		return nil
	}
	all := make(map[string]bool, len(b.List))
	for i := range b.List {
		all[b.List[i].Fingerprint] = true
	}
	return all
}

// With returns a baseline for the file, with the entries of b and the violations. b may be
// nil.
func (b *Baseline) With(file string, violations []validators.Violation) *Baseline {
	all := &Baseline{File: file}
	if b != nil {
		all.List = append(all.List, b.List...)
	}
	for i := range violations {
		v := &violations[i]
		what := fmt.Sprintf("%s %s %s", v.Spec, v.Kind, v.Rule)
		if v.Stream != "" {
			what += fmt.Sprintf(" in stream %q", v.Stream)
		}
		all.add(Known{Fingerprint: v.Fingerprint(), Violation: what + ": " + v.Message})
	}
	return all
}

const heading = `Violations that are known: a run with --baseline counts them, and reports the others.
To report one again, delete its entry here. Say in why who accepted it, and for which reason.`

// MayWrite says before the work why the file cannot be written, nil if it can. One that exists is
// replaced only if b was read from it. b may be nil.
func (b *Baseline) MayWrite(file string) error {
	if _, err := os.Stat(file); err == nil && !files.IsDevice(file) && (b == nil || b.File != file) {
		return fmt.Errorf("cannot write the baseline: %s: %w: delete it, or pass it as --baseline, too, to add to it", file, fs.ErrExist)
	}
	if _, err := os.Stat(filepath.Dir(file)); err != nil {
		return fmt.Errorf("cannot write the baseline: %s: %w", file, files.Advise(err))
	}
	return nil
}

// Write writes the file, if read may write it.
func (b *Baseline) Write(read *Baseline) error {
	if err := read.MayWrite(b.File); err != nil {
		return err
	}
	text := func(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s} }
	list := &yaml.Node{Kind: yaml.SequenceNode}
	for _, k := range b.List {
		list.Content = append(list.Content, &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{
			text("fingerprint"), text(k.Fingerprint), text("violation"), text(strings.ToValidUTF8(k.Violation, "\ufffd")), text("why"), text(k.Why),
		}})
	}
	if len(b.List) == 0 {
		list.Style = yaml.FlowStyle
	}
	key := text("violations")
	key.HeadComment = "# " + strings.ReplaceAll(heading, "\n", "\n# ")
	data, err := yaml.Dump(&yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{key, list}}, yaml.WithLineWidth(-1))
	if err != nil {
		return err
	}
	if err := files.Replace(b.File, bytes.TrimLeft(data, "\n")); err != nil {
		return fmt.Errorf("cannot write the baseline: %w", err)
	}
	return nil
}
