// Package anonymize replaces the names in a trace. A name always gets the same new name, so
// the verdict stays the same, at the same lines.
package anonymize

import (
	"cmp"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"tracecheck/internal/nearest"
	"tracecheck/trace"
)

// Options set what is not replaced. With the zero value, only words of the format, numbers,
// booleans and times stay.
type Options struct {
	Words []string      // specs, actions and actors, which stay in claims and meta lines
	Keep  []string      // kinds of names, as in Names, that stay
	Shift time.Duration // is added to each time

	Columns []Column // the fields of kinds that format 1 does not have

	// Vocabulary has the strings that stay in a log of any shape: its other strings and keys are
	// names of one kind. nil: the log is a trace of the built-in specs.
	Vocabulary []string
}

// Column is a field of a kind. Numbers, booleans and the values of an enumeration stay. Any
// other text is the id of an object.
type Column struct {
	Kind   trace.Kind
	Field  string
	Values []string // nil: it is not an enumeration
}

// Names returns the kinds of names. Each is numbered separately: node1, node2, ….
func Names() []string {
	return []string{
		cluster, image, label, labelValue, serviceName, namespace, node, object, port, protocol, pvc,
		request, service, stream, task, transaction, word,
	}
}

const (
	cluster     = "cluster"
	image       = "image"
	label       = "label"
	labelValue  = "value"
	serviceName = "name"
	namespace   = "namespace"
	node        = "node"
	object      = "object" // of a kind that format 1 does not have
	port        = "port"
	protocol    = "protocol"
	pvc         = "pvc"
	request     = "request"
	service     = "service" // and its endpoint, which has its id
	stream      = "stream"
	task        = "task" // and its container
	transaction = "tx"
	word        = "word" // where the format knows the words, and this is none
)

// Anonymizer rewrites the lines of one trace, in order. It keeps all names, and the
// position of each stream.
type Anonymizer struct {
	opts    Options
	words   map[string]bool
	names   map[string]map[string]string // by sort
	keep    map[string]bool
	streams map[string]*place
	fields  [trace.MaxKinds]map[string]rewrite
	log     *vocabulary // nil: the log is a trace of the built-in specs
}

// place is the position of a stream.
type place struct {
	txs         int            // how many transactions had names
	latest, old map[string]int // the numbers of the last ones
}

// mostTxs bounds the remembered transactions of a stream, for duplicates.
const mostTxs = 4 * trace.DefaultRemember

// New checks the options. An error means wrong usage.
func New(opts Options) (*Anonymizer, error) {
	a := &Anonymizer{
		opts: opts, words: map[string]bool{}, names: map[string]map[string]string{},
		keep: map[string]bool{}, streams: map[string]*place{},
	}
	known := fieldsOf()
	for k, fields := range known {
		a.fields[k] = fields
	}
	for _, c := range opts.Columns {
		if known[c.Kind] != nil {
			continue
		}
		if a.fields[c.Kind] == nil {
			a.fields[c.Kind] = map[string]rewrite{}
		}
		a.fields[c.Kind][c.Field] = named(object)
		if c.Values != nil {
			a.fields[c.Kind][c.Field] = oneOf(c.Values...)
		}
	}
	if opts.Vocabulary != nil {
		a.log = newVocabulary(opts.Vocabulary)
		opts.Words = append(opts.Words, opts.Vocabulary...)
		a.fields[trace.KindMeta] = maps.Clone(a.fields[trace.KindMeta])
		a.fields[trace.KindMeta]["constants"] = plain
	}
	for _, w := range opts.Words {
		a.words[w] = true
	}
	for _, sort := range Names() {
		a.names[sort] = map[string]string{}
	}
	for _, sort := range opts.Keep {
		if a.names[sort] == nil {
			return nil, fmt.Errorf("unknown sort of name %q: expected one of %s%s", sort, strings.Join(Names(), ", "), nearest.Hint(sort, Names()))
		}
		a.keep[sort] = true
	}
	return a, nil
}

// name returns the new name for an old one of the kind sort. "" means no name, and stays.
func (a *Anonymizer) name(sort, old string) string {
	if old == "" || a.keep[sort] {
		return old
	}
	if a.log != nil {
		return a.log.text(old, a.time)
	}
	known := a.names[sort]
	name, ok := known[old]
	if !ok {
		name = sort + strconv.Itoa(len(known)+1)
		known[strings.Clone(old)] = name
	}
	return name
}

// Append appends the event's line, without its end. Members that the format
// does not know are left out. An error names a time that cannot be shifted.
func (a *Anonymizer) Append(out []byte, ev *trace.Event) ([]byte, error) {
	w := writer{Anonymizer: a, out: out}
	if ev.Kind == trace.KindLine {
		plain(&w, gjson.Parse(ev.Raw))
		return w.out, nil
	}
	first := true
	var err error
	w.put('{')
	gjson.Parse(ev.Raw).ForEach(func(key, v gjson.Result) bool {
		mark := len(w.out)
		if !first {
			w.put(',')
		}
		w.text(key.Str)
		w.put(':')
		switch {
		case v.Type == gjson.Null:
			w.raw(v)
		case key.Str == "kind", key.Str == "op", key.Str == "seq":
			w.raw(v)
		case key.Str == "id":
			w.text(a.name(cmp.Or(sortOf[ev.Kind], object), v.Str))
		case key.Str == "stream":
			w.text(a.name(stream, v.Str))
		case key.Str == "actor", key.Str == "action":
			w.oneOf(v, a.words)
		case key.Str == "time":
			var text string
			text, err = a.time(v.Str)
			w.text(text)
		case key.Str == "tx":
			a.tx(&w, ev, v)
		case key.Str == "object" && a.log != nil && ev.Kind != trace.KindMeta:
			plain(&w, v)
		case key.Str == "object":
			w.object(v, a.fields[ev.Kind])
		default:
			w.out = w.out[:mark]
			return true
		}
		first = false
		return err == nil
	})
	w.put('}')
	if err != nil {
		return out, fmt.Errorf("%s: %w", ev.Pos, err)
	}
	return w.out, nil
}

// tx numbers transactions that have names. The last names are kept, for neighbouring lines
// and for duplicates. A version with a count, such as "4711+1", is not a name.
func (a *Anonymizer) tx(w *writer, ev *trace.Event, v gjson.Result) {
	if v.Type != gjson.String || a.keep[transaction] || isCounted(v.Str) {
		w.raw(v)
		return
	}
	p := a.streams[ev.Stream]
	if p == nil {
		p = &place{latest: map[string]int{}}
		a.streams[strings.Clone(ev.Stream)] = p
	}
	n := p.latest[v.Str]
	if n == 0 {
		if n = p.old[v.Str]; n == 0 {
			p.txs++
			n = p.txs
		}
		if len(p.latest) == mostTxs {
			p.latest, p.old = map[string]int{}, p.latest
		}
		p.latest[strings.Clone(v.Str)] = n
	}
	w.text(transaction + strconv.Itoa(n))
}

// isCounted reports whether a transaction is a version with a count.
func isCounted(tx string) bool {
	version, count, ok := strings.Cut(tx, "+")
	return ok && isNumber(version) && isNumber(count)
}

func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// time returns the time in UTC: an offset would show where it was recorded.
func (a *Anonymizer) time(text string) (string, error) {
	if text == "" || a.opts.Shift == 0 && strings.HasSuffix(text, "Z") {
		return text, nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return "", err
	}
	t = t.Add(a.opts.Shift).UTC()
	if t.Year() < 0 || t.Year() > 9999 {
		return "", fmt.Errorf("the time %s, shifted by %s and in UTC, is not in the years 0 to 9999", text, a.opts.Shift)
	}
	return t.Format(time.RFC3339Nano), nil
}
