package trace

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// Kind is the kind of an event's object.
type Kind uint8

// KindNone is the absence of a kind. KindMeta is the kind of meta lines. Specs register
// the kinds of their objects (NewKind).
const (
	KindNone Kind = iota
	KindMeta
	KindLine     // a line of a log that a bind file describes; no trace has it
	KindVariable // a variable of a module that judges such a log; no trace has it
)

var kinds = newNames(MaxKinds, "meta", "line", "variable")

func (k Kind) String() string { return kinds.list[k] }

// KindNames returns "meta" and the names of the kinds that specs registered, sorted.
func KindNames() []string {
	var list []string
	for i, name := range kinds.all() {
		if k := Kind(i + 1); k != KindMeta && owned.Has(k) {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return append([]string{KindMeta.String()}, list...)
}

// KindSet is a set of kinds.
type KindSet uint32

const _ = KindSet(1) << (MaxKinds - 1) // each kind has a bit

// Has reports whether the kind is in the set.
func (s KindSet) Has(k Kind) bool { return s>>k&1 != 0 }

// Add puts the kind into the set.
func (s *KindSet) Add(k Kind) { *s |= 1 << k }

// IsSingleton reports whether a stream has at most one object of the kind, so
// that its events need no id.
func (k Kind) IsSingleton() bool { return singletons.Has(k) }

// ParseKind returns the kind with this name, or KindNone.
func ParseKind(name string) Kind { return Kind(kinds.find(name)) }

// Op is what an event does to its object.
type Op uint8

// The operations of format 1. A meta line has none.
const (
	OpNone Op = iota
	OpSnapshot
	OpCreate
	OpUpdate
	OpDelete
	OpReject
)

var opNames = [...]string{
	OpNone: "", OpSnapshot: "snapshot", OpCreate: "create", OpUpdate: "update",
	OpDelete: "delete", OpReject: "reject",
}

func (o Op) String() string { return opNames[o] }

func parseOp(name string) Op {
	switch name {
	case "snapshot":
		return OpSnapshot
	case "create":
		return OpCreate
	case "update":
		return OpUpdate
	case "delete":
		return OpDelete
	case "reject":
		return OpReject
	}
	return OpNone
}

// Pos is the position of an event: a line of a file, or a message (MessagePos).
type Pos struct {
	File string // as the user named it; "-" is standard input. It stays valid after the line
	Line int    // from 1
}

func (p Pos) String() string {
	if _, ok := p.Offset(); ok {
		return strings.TrimPrefix(p.File, messages) + " " + p.Within()
	}
	switch {
	case p.Line == 0:
		return strings.TrimPrefix(p.File, messages)
	case p.File == "":
		return p.Within()
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// Tx is the name of a transaction: a JSON string or integer. 12 and "12"
// differ. The zero Tx means no transaction.
type Tx struct {
	text   string
	number int64
	typ    ValueType
}

// IsSet reports whether the line names a transaction.
func (t Tx) IsSet() bool { return t.typ != Absent }

// Number returns an integer name, or 0.
func (t Tx) Number() int64 { return t.number }

// Text returns a string name, or "".
func (t Tx) Text() string { return t.text }

func (t Tx) String() string {
	if t.typ == Int {
		return strconv.FormatInt(t.number, 10)
	}
	return t.text
}

// Event is one line of a trace. Its strings refer to the line's bytes, and are
// valid while those are. Clone copies them.
type Event struct {
	Pos    Pos
	Kind   Kind
	Op     Op
	HasSeq bool
	Hash   uint32 // HashID of ID
	Seq    int64  // position in the stream, if HasSeq
	ID     string
	Stream string
	Tx     Tx
	Time   string // in RFC 3339, checked; "": none
	Nanos  int64  // Time in ns since 1970, clamped to int64; valid if Time is set
	Actor  string // a claim; "": none
	Action string // a claim; "": none
	Print  uint64 // a fingerprint of the line without seq and stream, if HasSeq
	Fields Fields // the known fields of "object"
	Raw    string // the whole line
	packed string // the compact forms of its values
}

// Packed returns the compact form of a value of the event, "" if it has none (NewPacked).
func (e *Event) Packed(v Value) string {
	if v.Type != Other {
		return ""
	}
	return e.packed[v.Int>>32 : uint32(v.Int)]
}

// HashID is a hash of an id, which differs between processes. The decoder computes it: it
// often runs on another processor than the judging of a stream.
func HashID(id string) uint32 { return uint32(maphash.String(hashSeed, id)) }

var hashSeed = maphash.MakeSeed()

// Object returns the line's "object". If the key is repeated, it returns the
// last. It is valid while the line is.
func (e *Event) Object() (object gjson.Result) {
	gjson.Parse(e.Raw).ForEach(func(key, value gjson.Result) bool {
		if key.Str == "object" {
			object = value
		}
		return true
	})
	return object
}

// HasClaim reports whether the event names an actor or an action.
func (e *Event) HasClaim() bool { return e.Actor != "" || e.Action != "" }
