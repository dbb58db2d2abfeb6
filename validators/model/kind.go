package model

import (
	"fmt"
	"hash/maphash"

	"tracecheck/trace"
	"tracecheck/trace/codec"
	"tracecheck/validators"
)

// Kind declares a kind of object: a variable of the module, or a part of one, as
// a table.
type Kind[S any, R comparable] struct {
	Kind    trace.Kind
	Rows    func(*S) *Rows[R]
	Columns []Column[S, R]

	// Name, if set, is of a kind that has one object only, with the id "".
	Name string
	// Init is an object that no line has shown: each is there from the start.
	// Created and Snapshot are what a create and a snapshot line begin with.
	Init, Created, Snapshot R
	// NoDelete says why nothing is deleted: "no action deletes a request".
	NoDelete string

	Tally func(s *S, r *R, d int)         // adds the row to what the state counts, or takes it away
	Put   func(s *S, c *Change[R])        // called before a row is set by a line: its strings must then not point into one
	What  func(s *S, c *Change[R]) string // what happens to the object, in words
	Seen  func(s *S, c *Change[R])        // called before a row is set by a snapshot
	Waits [][]Wait[S, R]                  // what an object waits for: of each list one thing at a time; at most two lists
}

// Wait is what an object may wait for.
type Wait[S any, R comparable] struct {
	For  validators.Wait
	Is   func(s *S, r *Row[R]) bool
	Gate func(s *S) *validators.Gate // optional
}

// Table is a Kind as a machine sees it.
type Table[S any] interface {
	kind() trace.Kind
	begin(s *S, attach bool)

	reset(s *S)
	bind(b *binder[S], ev *trace.Event, i int)
	finish(s *S) (changed int)
	changes(s *S) int
	unwrite(s *S)
	agrees(s *S, of Columns) bool
	resembles(s *S, enabled bool) bool
	wrote(s *S, yield func(id string))
	within(s *S) bool
	hash(s *S, h *maphash.Hash)
	advance(s *S, at int, moved func(from, to string))
	back(s *S, at int)
	arrive(s *S)
	commit(s *S)
	follow(s *S, l *validators.Ledger)

	snapshot(s *S, ev *trace.Event) (outside string)
	followShown(s *S, l *validators.Ledger)

	subject(s *S) (line int, what string)
	named(ev *trace.Event) string
	lists(s *S, add func(validators.Change) bool)
	objects(s *S, yield func(trace.Kind, string, []byte))
	live(s *S) int
	has(s *S, id string) bool
	code(s *S, c *codec.Codec)
	codeWaits(s *S, c *codec.Codec, l *validators.Ledger)
	single() bool
	alone(s *S, do func(line int, what string))
}

func (k *Kind[S, R]) kind() trace.Kind { return k.Kind }
func (k *Kind[S, R]) single() bool     { return k.Name != "" }

// Of names some of the kind's columns, for what a conjunct with primes is about.
func (k *Kind[S, R]) Of(fields ...trace.FieldName) Group[S] {
	return Group[S]{k, k.Set(fields...)}
}

// Set is the set of the columns of the fields.
func (k *Kind[S, R]) Set(fields ...trace.FieldName) (set Columns) {
	for _, field := range fields {
		known := false
		for i := range k.Columns {
			if k.Columns[i].Field == field {
				set, known = set|1<<i, true
			}
		}
		if !known {
			panic(fmt.Sprintf("model: kind %s has no column %s", k.Kind, field))
		}
	}
	return set
}

// Group is columns of one kind.
type Group[S any] struct {
	table Table[S]
	of    Columns
}

// begin makes the rows of a state in which nothing has been shown.
func (k *Kind[S, R]) begin(s *S, attach bool) {
	t := k.Rows(s)
	if t.kind = k.Kind; !k.single() {
		return
	}
	t.one = &Change[R]{of: t, Old: k.Init, Now: k.Init, New: k.Init}
	if !attach {
		t.put(t.one)
		k.tally(s, &k.Init, +1)
	}
}
