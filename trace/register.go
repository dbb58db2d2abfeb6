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
// The same name gives the same kind. NewKind panics if the name is invalid
// (want ASCII letters, digits and "_", first a letter), if there are MaxKinds,
// or if lines have been decoded already.
func NewKind(name string) Kind { return newKind(name, false) }

// NewSingleton registers a kind of which a stream has at most one object. Its
// events need no id.
func NewSingleton(name string) Kind { return newKind(name, true) }

func newKind(name string, singleton bool) Kind {
	n, isNew := kinds.register("kind", name)
	k := Kind(n)
	switch {
	case isNew && singleton:
		singletons.Add(k)
	case k.IsSingleton() != singleton:
		panic(fmt.Sprintf("trace: the kind %q is registered as one with several objects, and as one with a single object", name))
	}
	if k.IsBuiltIn() {
		owned.Add(k)
	}
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

// singletons and owned are sets of kinds: those with a single object, and those
// that a spec of this program has registered.
var singletons, owned KindSet = 1<<KindMeta | 1<<KindCluster | 1<<KindAllocator, 1 << KindMeta

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

// newNames numbers the built-in names.
func newNames(most int, builtin []string) (n names) {
	n.most = most
	for i, name := range builtin {
		n.add(name, uint64(i)) // checkpoints have fingerprints with these numbers
	}
	return n
}

func (n *names) add(name string, print uint64) int {
	i := n.count
	n.list[i], n.prints[i] = name, print
	n.count++
	if i > 0 {
		at := hashName(name)
		for n.slots[at] != 0 {
			at = (at + 1) % nameSlots
		}
		n.slots[at] = uint8(i)
	}
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
		panic(fmt.Sprintf("trace: invalid name %q of a %s: want ASCII letters, digits and _, first a letter", name, what))
	case n.count == n.most:
		panic(fmt.Sprintf("trace: no room for the %s %q: there are %d already", what, name, n.most-1))
	}
	// The name alone: its number depends on the other names.
	return n.add(name, textPrint(name)), true
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
