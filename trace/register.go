package trace

import (
	"fmt"
	"slices"
	"sync/atomic"
)

// MaxKinds and MaxFields bound the numbers of kinds and fields, with the zero
// ones: a Kind is less than MaxKinds.
const (
	MaxKinds  = 32
	MaxFields = 128
)

// NewKind registers a kind of object. Call it in a package variable of the spec
// that owns the kind:
//
//	var KindRM = trace.NewKind("rm")
//
// The same name gives the same kind. NewKind panics if the name is invalid (want an ASCII
// letter, then letters, digits and "_"). It also panics if there are MaxKinds already, or if
// lines have been decoded already.
func NewKind(name string) Kind { return newKind(name, false) }

// NewSingleton registers a kind of which a stream has at most one object. Its
// events need no id.
func NewSingleton(name string) Kind { return newKind(name, true) }

// KindNamed returns the kind of the name, and creates it if needed. A spec may register
// it before or after. Use it in packages that handle objects of a spec's kind without
// being a spec: KindNames lists only the kinds that specs registered.
func KindNamed(name string) Kind {
	n, _ := kinds.register("kind", name)
	return Kind(n)
}

func newKind(name string, singleton bool) Kind {
	k := KindNamed(name)
	switch {
	case !owned.Has(k) && singleton:
		singletons.Add(k)
	case k.IsSingleton() != singleton:
		panic(fmt.Sprintf("trace: the kind %q is registered as one with several objects, and as one with a single object", name))
	}
	owned.Add(k)
	return k
}

// NewField registers a field of objects of any kind. Fields that are not
// registered are ignored.
func NewField(name string) FieldName {
	n, _ := fields.register("field", name)
	return FieldName(n)
}

// decoded is set once lines have been decoded.
var decoded atomic.Bool

// singletons are the kinds with a single object. owned are the kinds that specs
// registered.
var singletons, owned KindSet = 1 << KindMeta, 1 << KindMeta

// distinct is, by kind, the field that NewMap has registered.
var distinct [MaxKinds]FieldName

// NewMap is NewField for a field whose value is a map in objects of the kinds. A line
// that repeats a key of the map is refused. A kind has at most one such field.
func NewMap(name string, of ...Kind) FieldName {
	f := NewField(name)
	for _, k := range of {
		distinct[k] = f
	}
	return f
}

// packs are, by field, the functions that NewPacked has registered.
var packs [256]func(to []byte, text string) []byte

// NewPacked is NewField for a field whose values of the type Other have a compact form,
// Event.Packed. pack appends that of the JSON text, or nothing if there is none. Decoders call
// it: they often run on another processor than the judging of a stream.
func NewPacked(name string, pack func(to []byte, text string) []byte) FieldName {
	f := NewField(name)
	packs[f] = pack
	return f
}

// names numbers names from 1. Its arrays have room for all numbers, so that
// lookups need no bounds checks.
type names struct {
	list   [256]string
	prints [256]uint64 // for fingerprints
	count  int         // with the unused number 0
	most   int
	slots  [nameSlots]uint8 // the number of a name, at its hash or after it; 0: free
}

// nameSlots is a power of two, and large enough for few collisions.
const nameSlots = 512

// newNames numbers the names from 1. The number 0 means no name.
func newNames(most int, list ...string) (n names) {
	n.most, n.count = most, 1
	for _, name := range list {
		n.add(name)
	}
	return n
}

// add numbers a name. Its fingerprint depends on the name only, since checkpoints keep
// it. The number depends on the other names.
func (n *names) add(name string) int {
	i := n.count
	n.list[i], n.prints[i] = name, textPrint(name)
	n.count++
	at := hashName(name)
	for n.slots[at] != 0 {
		at = (at + 1) % nameSlots
	}
	n.slots[at] = uint8(i)
	return i
}

// find returns the number of the name, or 0. It is called for every line and
// field.
func (n *names) find(name string) uint8 {
	if len(name) == 0 {
		return 0
	}
	at := hashName(name)
	i := n.slots[at]
	for i != 0 && n.list[i] != name {
		at = (at + 1) % nameSlots
		i = n.slots[at]
	}
	return i
}

// hashName hashes a name that is not empty.
func hashName(name string) uint {
	return (uint(len(name))<<5 ^ uint(name[0]) ^ uint(name[len(name)-1])<<2 ^ uint(name[len(name)/2])<<3) % nameSlots
}

// all is a copy of the names.
func (n *names) all() []string { return slices.Clone(n.list[1:n.count]) }

func (n *names) register(what, name string) (number int, isNew bool) {
	if i := n.find(name); i > 0 {
		return int(i), false
	}
	switch {
	case decoded.Load():
		panic(fmt.Sprintf("trace: the %s %q comes too late: lines have been decoded. Register it by a package variable", what, name))
	case !isWord(name):
		panic(fmt.Sprintf("trace: invalid name %q of a %s: expected ASCII letters, digits and _, first a letter", name, what))
	case n.count == n.most:
		panic(fmt.Sprintf("trace: no room for the %s %q: there are %d already", what, name, n.most-1))
	}
	return n.add(name), true
}

func isWord(name string) bool {
	for i := range len(name) {
		c := name[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (i == 0 || c != '_' && (c < '0' || c > '9')) {
			return false
		}
	}
	return name != ""
}
