package trace

import (
	"fmt"
	"slices"
	"sync/atomic"
)

// MaxKinds and MaxFields bound how many kinds and fields there can be, the zero
// ones included: a Kind is less than MaxKinds.
const (
	MaxKinds  = 32
	MaxFields = 128
)

// NewKind registers a kind of object, as a package variable of the spec that owns
// it:
//
//	var KindRM = trace.NewKind("rm")
//
// The same name gives the same kind. It panics where the name is no word of ASCII
// letters, digits and "_" that begins with a letter, where there are MaxKinds, and
// where lines have been decoded: the kinds are the same for all of them.
func NewKind(name string) Kind { return newKind(name, false) }

// NewSingleton is NewKind for a kind of which a stream has at most one object, so
// that its events need no id.
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

// NewField registers a field of objects, of any kind, as NewKind does kinds. Fields
// that are not registered are ignored.
func NewField(name string) FieldName {
	n, _ := fields.register("field", name)
	return FieldName(n)
}

// decoded says that lines have been decoded.
var decoded atomic.Bool

// Of the built-in kinds, which have constants: those that have a single object, and
// those that a spec of this program has registered as its own.
var singletons, owned KindSet = 1<<KindMeta | 1<<KindCluster | 1<<KindAllocator, 1 << KindMeta

// names numbers names, from 1 in their order. It has room for all numbers that
// there can be, so that lookups on the path of every line check no bounds.
type names struct {
	list   [256]string
	prints [256]uint64 // that fingerprints take for them
	count  int         // with that at 0, which is none
	most   int
	slots  [nameSlots]uint8 // the number of a name, at its hash or behind it; 0: free
}

// nameSlots is a power of two, so much more than there are names that few of them
// have the same slot.
const nameSlots = 512

// newNames numbers the built-in names.
func newNames(most int, builtin []string) (n names) {
	n.most = most
	for i, name := range builtin {
		n.add(name, uint64(i)) // checkpoints keep fingerprints with these numbers
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

// find returns the number of the name, 0 where there is none. It is on the path of
// every line and of every field.
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

// hashName is of a name that is not empty.
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
		panic(fmt.Sprintf("trace: %q is no name of a %s: want ASCII letters, digits and _, and a letter first", name, what))
	case n.count == n.most:
		panic(fmt.Sprintf("trace: no room for the %s %q: there are %d already", what, name, n.most-1))
	}
	// By its name alone: its number depends on what else there is.
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
