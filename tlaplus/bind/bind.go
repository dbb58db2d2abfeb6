package bind

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"tracecheck/internal/files"
	"tracecheck/tlaplus/config"
	"tracecheck/tlaplus/eval"
	"tracecheck/trace"
	"tracecheck/validators"
)

// Options are about how is judged.
type Options struct {
	Path      []string          // further folders with modules
	Env       map[string]string // what IOEnv has
	Set       []string          // of these, NAME=VALUE: those that were given for the module
	MaxStates int               // states that are made for one line, at most; 0: DefaultStates
	Full      bool              // a violation shows all variables
	Without   eval.Shortcuts    // are not taken: for tests
}

// DefaultStates bounds the states that are made for one line, where the options do not.
const DefaultStates = 100_000

// Bind is a bind file with its module.
type Bind struct {
	Spec *validators.Spec

	// Loose has a note for each action of the file without a prime, such as a predicate.
	Loose []string

	file   *file
	cfg    *config.Config
	given  string // the cfg's text
	header string // of a file, as JSON; "": none
	shapes *shape
	opts   Options
	paths  bool                    // the machines keep a path
	first  atomic.Pointer[program] // what was loaded with the file; nil: a machine has it

	named, argued, unargued atomic.Bool // some line: names its event; has arguments of it; lacks them
}

// Load reads a bind file, with its module and cfg. The error has all that is wrong with
// them, each with its place.
func Load(name string, o Options) (*Bind, error) {
	text, err := files.Read(name, files.Document)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot read the bind file: %w: write it; `tracecheck help bind` shows a first one", err)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the bind file: %w", err)
	}
	f, err := parse(name, text)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(f.module); err != nil {
		return nil, fmt.Errorf("%s: module: %w: name the module's file, relative to the bind file", f.name, err)
	}
	b := &Bind{file: f, shapes: f.shapes(), opts: o}
	if err := b.configure(); err != nil {
		return nil, err
	}
	if f.header != "" {
		if b.header, err = headerOf(f.header); err != nil {
			return nil, fmt.Errorf("%s: header: %w", f.name, err)
		}
	}
	p, err := b.load(b.header, f.headerLine)
	if err != nil {
		return nil, err
	}
	if err := p.judgeable(); err != nil {
		return nil, err
	}
	if err := f.register(); err != nil {
		return nil, err
	}
	b.Spec = b.describe(p)
	for _, event := range slices.Sorted(maps.Keys(f.actions)) {
		if is := p.actions[event].conditions; len(is) > 0 && !is[0].Formula.OfStep() {
			b.Loose = append(b.Loose, fmt.Sprintf("the action of %q has no prime: its lines may change the variables in any way", event))
		}
	}
	if !f.headerLine && !b.Objects() {
		b.first.Store(p)
	}
	return b, nil
}

// Notes are about the log as a whole. There are none without a bind file (nil) or events.
func (b *Bind) Notes(events int) []string {
	if b == nil || events == 0 {
		return nil
	}
	_, notes := b.absent()
	return append(notes, b.Loose...)
}

// absent is the keys that no line has had a value for, but should: event or args. The notes have
// what follows.
func (b *Bind) absent() (keys, notes []string) {
	add := func(key string, x *expr, so string) {
		keys, notes = append(keys, key), append(notes, fmt.Sprintf("no line has a value for %s (%s): %s", key, strings.TrimSpace(x.text), so))
	}
	if f := b.file; f.event != nil && !b.named.Load() {
		add("event", f.event, "each line may be any step of "+b.Spec.Module)
	} else if f.args != nil && b.unargued.Load() && !b.argued.Load() {
		add("args", f.args, "the events may have any arguments")
	}
	return keys, notes
}

// note sets a flag that is mostly set.
func note(flag *atomic.Bool) {
	if !flag.Load() {
		flag.Store(true)
	}
}

// configure reads the cfg: the one that is named, else the module's where there is one.
func (b *Bind) configure() error {
	f := b.file
	name := f.config
	if name == "" {
		name = strings.TrimSuffix(f.module, ".tla") + ".cfg"
	}
	text, err := files.Read(name, files.Document)
	switch {
	case f.config == "" && errors.Is(err, os.ErrNotExist):
		text = []byte("INIT Init\nNEXT Next\n")
		if f.init != nil {
			text = []byte("NEXT Next\n")
		}
	case err != nil:
		return fmt.Errorf("%s: config: %w", f.name, err)
	}
	b.given = string(text)
	b.cfg, err = config.Parse(filepath.Base(name), text)
	return err
}

// headerOf is the first JSON value of a file.
func headerOf(name string) (string, error) {
	file, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close() // it is only read
	var first json.RawMessage
	if err := json.NewDecoder(file).Decode(&first); err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	if bad := trace.CheckJSON(first); bad != "" {
		return "", fmt.Errorf("%s: %s", name, bad)
	}
	return string(first), nil
}

// Objects reports whether the log is in the trace format.
func (b *Bind) Objects() bool { return b.file.objects != nil }

func (b *Bind) maxStates() int {
	if b.opts.MaxStates > 0 {
		return b.opts.MaxStates
	}
	return DefaultStates
}

// credit is how many states more than the least a stream's frontier may have, in all.
func (b *Bind) credit() int { return b.maxStates() / 5 * 3 }

// mostWork bounds the evaluation for one line.
func (b *Bind) mostWork() int { return b.maxStates() * workEach }

// workEach is for a state, which is much.
const workEach = 100

func (b *Bind) path() []string { return append(append([]string(nil), b.file.path...), b.opts.Path...) }

// judgeable refuses what cannot be judged of a log as it comes.
func (p *program) judgeable() error {
	if len(p.spec.Invariants) > mostInvariants {
		return fmt.Errorf("the cfg has %d invariants: %d are judged at most", len(p.spec.Invariants), mostInvariants)
	}
	for _, r := range p.spec.Properties {
		asks := slices.ContainsFunc(r.Live, func(l eval.Liveness) bool { return !l.Fair })
		if asks || len(r.States)+len(r.Once) > 0 {
			return fmt.Errorf("the PROPERTY %s is about more than single steps: a log can only be judged by [][A]_v and by conditions on the first state; remove it from the cfg, or use an INVARIANT", r.Name)
		}
	}
	return nil
}

// mostInvariants is how many bits node.down has.
const mostInvariants = 64
