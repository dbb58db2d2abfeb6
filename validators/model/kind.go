package model

import (
	"fmt"
	"hash/maphash"

	"tracecheck/trace"
	"tracecheck/trace/codec"
	"tracecheck/validators"
)

// Kind declares a table of objects: a variable of the module, or a part of a variable.
type Kind[S any, R comparable] struct {
	Kind    trace.Kind
	Rows    func(*S) *Rows[R]
	Columns []Column[S, R]

	// Name, if set, is the name of a kind with a single object, with the id "".
	Name string
	// Init is the row of an object that no line has shown. Created and Snapshot are
	// the rows to which a create line and a snapshot line add their fields.
	Init, Created, Snapshot R
	// Sighted, if set, is the row to which the first line of an object adds its
	// fields under --attach, if it is an update.
	Sighted *R
	// NoDelete is the reason why no action deletes an object, such as "no action
	// deletes a request". All objects then exist from the start. "": actions create
	// and delete objects.
	NoDelete string
	// AnyFirst allows any op in the first line of a single object.
	AnyFirst bool

	Line   func(s *S, ev *trace.Event)     // optional: called before the columns of a line are read
	Tally  func(s *S, r *R, d int)         // adds the row to the counts of the state (d is 1), or removes it (-1)
	Put    func(s *S, c *Change[R])        // optional: called before a row is set or removed. It must copy strings that point into a line and that no Column.Own copies
	What   func(s *S, c *Change[R]) string // optional: what happens to the object, in words. nil: the columns that change
	Seen   func(s *S, c *Change[R])        // optional: called before a snapshot line sets a row
	Listed func(s *S, shown bool) bool     // optional: whether to list a single object, which a line has shown or not. nil: always
	Brief  func(s *S) bool                 // optional: whether a report lists the changes of a single object. nil: always
	Waits  [][]Wait[S, R]                  // obligations of an object: at most one at a time from each list, and at most two lists

	Identity[S, R]

	// What is worked out of the columns.
	schema   *Schema[S, R]
	inferred Columns
	holds    Columns // that have Holds
	keepsOld bool    // Change.Old stays until the rules are judged
	status   *Column[S, R]
	owns     []func(s *S, r, before *R) // Column.Own of those that have it
}

// Wait declares an obligation that an object can have.
type Wait[S any, R comparable] struct {
	For    validators.Wait
	Status Statuses                    // the status, the first enumeration, must be one of these. 0: any
	Is     func(s *S, r *Row[R]) bool  // and this must hold. nil: always
	Stage  func(r *Row[R]) int32       // optional, as in validators.Want
	Gate   func(s *S) *validators.Gate // optional
}

// Table is a *Kind. Only this package implements it.
type Table[S any] interface {
	kind() trace.Kind
	begin(s *S, c *validators.Config, u *uses, place tables)
	uses(s *S) *uses
	prepare() (refers, waits bool)
	columns() []validators.ColumnDoc
	initial() []byte

	reset(s *S)
	bind(b *binder[S], ev *trace.Event, i int) (id string, part int)
	finish(s *S) (changed int, from, to Statuses)
	changes(s *S) int
	unwrite(s *S)
	agrees(s *S, of Columns) bool
	resembles(s *S, enabled bool) bool
	wrote(s *S, yield func(id string))
	writes(s *S, id string) bool
	within(s *S) bool
	hash(s *S, h *maphash.Hash)
	advance(s *S, at int, moved func(from, to string))
	back(s *S, at int)
	arrive(s *S)
	commit(s *S)
	follow(s *S, l *validators.Ledger)

	snapshot(b *binder[S], ev *trace.Event) (id, outside string)
	followShown(s *S, l *validators.Ledger)

	imply(s *S, id string)
	release(s *S)
	sight(s *S)
	nextPart(s *S) int
	narrow(s *S, part int) (changed int, from Statuses)
	widen(s *S, whole bool)

	subject(s *S) (line int, what string)
	named(ev *trace.Event) string
	lists(s *S, list *[]validators.Change)
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
func (k *Kind[S, R]) dynamic() bool    { return k.NoDelete == "" && !k.single() }
func (k *Kind[S, R]) uses(s *S) *uses  { return k.Rows(s).uses }

// Existence is the group of a conjunct with primes about which objects exist.
func (k *Kind[S, R]) Existence() Group[S] { return Group[S]{k, existence} }

// Of is the group of a conjunct with primes about the columns of the fields.
func (k *Kind[S, R]) Of(fields ...trace.FieldName) Group[S] {
	return Group[S]{k, k.Set(fields...)}
}

// Set returns the columns of the fields.
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

// Group is some columns of one kind.
type Group[S any] struct {
	table Table[S]
	of    Columns
}

// begin makes the rows of a state in which nothing has been shown.
func (k *Kind[S, R]) begin(s *S, c *validators.Config, u *uses, place tables) {
	t := k.Rows(s)
	t.kind, t.uses, t.place, t.init, t.dynamic = k.Kind, u, place, &k.Init, k.dynamic()
	if !k.single() {
		t.room = roomOf[R](c.Workspace, k.Kind)
		return
	}
	t.room = &room[R]{}
	t.row = &Row[R]{kind: k.Kind, Value: k.Init}
	t.one = &Change[R]{of: t, Old: &t.row.Value, Now: &t.row.Value, New: k.Init}
	if !c.Attach {
		t.put(t.one)
		k.tally(s, &k.Init, +1)
	}
}

// prepare works out what the columns are, and whether others refer to the objects and these wait
// for something.
func (k *Kind[S, R]) prepare() (refers, waits bool) {
	k.schema, k.owns = NewSchema(k.Kind, k.Columns...), nil
	for i := range k.Columns {
		col, bit := &k.Columns[i], Columns(1)<<i
		if col.Inferred {
			k.inferred |= bit
		}
		if col.Holds {
			k.holds |= bit
		}
		if col.Own != nil {
			k.owns = append(k.owns, col.Own)
		}
	}
	k.status = k.firstEnum()
	return k.Referred != nil, len(k.Waits) > 0
}

// initial is an object that no line has shown, as JSON.
func (k *Kind[S, R]) initial() []byte { return k.schema.JSON(new(S), &k.Init) }

// columns documents the columns.
func (k *Kind[S, R]) columns() []validators.ColumnDoc { return k.schema.Describe() }

// firstEnum is the first column of an enumeration; nil: there is none.
func (k *Kind[S, R]) firstEnum() *Column[S, R] {
	for i := range k.Columns {
		if k.Columns[i].value != nil {
			return &k.Columns[i]
		}
	}
	return nil
}
