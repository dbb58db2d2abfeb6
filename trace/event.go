package trace

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// Kind says what an event is about.
type Kind uint8

// The built-in kinds. A spec may have others (NewKind).
const (
	KindNone Kind = iota
	KindMeta
	KindService
	KindTask
	KindNode
	KindContainer
	KindEndpoint
	KindAllocator
	KindRequest
	KindCluster
	KindNamespace
	KindPVC
	KindSyncer
	builtinKinds // how many there are
)

var kinds = newNames(MaxKinds, []string{
	KindNone: "", KindMeta: "meta", KindService: "service", KindTask: "task", KindNode: "node",
	KindContainer: "container", KindEndpoint: "endpoint", KindAllocator: "allocator",
	KindRequest: "request", KindCluster: "cluster", KindNamespace: "namespace",
	KindPVC: "pvc", KindSyncer: "syncer",
})

func (k Kind) String() string { return kinds.list[k] }

// KindNames are the names of the kinds that the specs of this program registered,
// with "meta", or of all kinds where none did.
func KindNames() (list []string) {
	for i, name := range kinds.all() {
		if k := Kind(i + 1); k >= builtinKinds || owned.Has(k) {
			list = append(list, name)
		}
	}
	if len(list) == 1 {
		return kinds.all()
	}
	return list
}

// KindSet is a set of kinds.
type KindSet uint32

const _ = KindSet(1) << (MaxKinds - 1) // there is room for each

// Has reports whether the kind is in the set.
func (s KindSet) Has(k Kind) bool { return s>>k&1 != 0 }

// Add puts the kind into the set.
func (s *KindSet) Add(k Kind) { *s |= 1 << k }

// IsBuiltIn reports whether the kind has a constant.
func (k Kind) IsBuiltIn() bool { return k < builtinKinds }

// IsSingleton reports whether a stream has at most one object of the kind, so
// that its events need no id.
func (k Kind) IsSingleton() bool { return singletons.Has(k) }

// ParseKind returns the kind of that name, KindNone where there is none.
func ParseKind(name string) Kind { return Kind(kinds.find(name)) }

// Op says what the event records of its object.
type Op uint8

// The operations of format 1; a meta line has none.
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

// Pos is where an event was read: a line of a file, or a message (MessagePos).
type Pos struct {
	File string // as the user named it; "-" is standard input. It outlives the line
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

// Tx is a transaction's name: a JSON string or integer; 12 and "12" differ. The
// zero Tx is none.
type Tx struct {
	text   string
	number int64
	typ    ValueType
}

// IsSet reports whether the line names a transaction.
func (t Tx) IsSet() bool { return t.typ != Absent }

// Number is a name that is an integer, 0 for any other.
func (t Tx) Number() int64 { return t.number }

// Text is a name that is a string, "" for any other.
func (t Tx) Text() string { return t.text }

func (t Tx) String() string {
	if t.typ == Int {
		return strconv.FormatInt(t.number, 10)
	}
	return t.text
}

// Event is one line of a trace. Its strings point into the line that it was
// decoded from and live as long as that line's bytes do; Clone keeps them.
type Event struct {
	Pos    Pos
	Kind   Kind
	Op     Op
	HasSeq bool
	Seq    int64 // position in the stream; meaningful if HasSeq
	ID     string
	Stream string
	Tx     Tx
	Time   string // RFC 3339, checked; "" is none
	Nanos  int64  // Time in ns since 1970, as near as an int64 comes; meaningful if Time is set
	Actor  string // a claim; "" is none
	Action string // a claim; "" is none
	Print  uint64 // a fingerprint of what the line says, but for its seq and stream; meaningful if HasSeq
	Fields Fields // the known fields of "object"
	Raw    string // the whole line
}

// Object is the line's "object" as a whole; where the key is repeated the last
// counts. It lives as long as the line.
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
