package workerimpl

import (
	"encoding/binary"

	"tracecheck/trace"
)

// code is a state of an item: its task's state (0: it has none), its place and
// version, its container's state (0: it has none on the worker), whether either
// has been absent since the step began, which versions CreateTask may make, and
// which claims are met.
type code uint32

const (
	placeAt, versionAt, contAt, taskAbsentAt, contAbsentAt, allowedAt, claimsAt = 4, 7, 8, 11, 12, 13, 16

	taskAbsent code = 1 << taskAbsentAt
	contAbsent code = 1 << contAbsentAt
	allowAll   code = 3 << allowedAt

	maxClaims = 16 // of one item that are followed
)

func (c code) task() State            { return State(c & 15) }
func (c code) place() place           { return place(c >> placeAt & 7) }
func (c code) version() int           { return int(c >> versionAt & 1) }
func (c code) cont() containerState   { return containerState(c >> contAt & 7) }
func (c code) met() code              { return c >> claimsAt }
func (c code) withTask(s State) code  { return c&^15 | code(s) }
func (c code) withPlace(p place) code { return c&^(7<<placeAt) | code(p)<<placeAt }
func (c code) withCont(s containerState) code {
	return c&^(7<<contAt) | code(s)<<contAt
}

// without is the code with no task.
func (c code) without() code { return c&^(15|7<<placeAt|1<<versionAt) | taskAbsent }

// place is where a task is, as an item tells nodes apart.
type place uint8

const (
	unassigned place = iota
	atWorker         // node, the instance's
	atOld            // where the task was, if that is another
	atNew            // where the task ends up, if that is another
	atSpare          // some other node
	places

	elsewhere = atOld // or any place after it
)

// version is an Id that the item's task has or had: a task that the step
// deletes may be recreated with another service or slot.
type version struct {
	is     bool
	global bool
	at     place // of a global task
}

// autoKey is all that an item's automaton depends on.
type autoKey struct {
	from, to code
	need     code  // taskAbsent, contAbsent: of what the step's lines delete and create
	desired  State // of a task that keeps it: one that does not change, or is stuck at the start

	moves, lasts         bool // of the task: may change; exists throughout
	contMoves, contLasts bool // of the container
	never                bool // no sequence ends like that

	versions [2]version
	in       [places]bool // a task may be assigned to the place
	up       [places]bool // a task at the place has its node up, or may have
	claims   string
}

// auto is an item's automaton, nondeterministic, with its subset construction.
type auto struct {
	autoKey
	subsets[code]
	claims []claim
}

// claim is what a line says of a change of the task or the container.
type claim struct {
	kind          trace.Kind
	actor, action string
}

// symbol is an action that every item takes part in. Those from symbolModes on
// are of one service: it gets tasks of one mode from now on, and has none of
// the other. Of each version a symbol says whether it is allowed, forbidden
// (such a task must not be there), or left as it is.
type symbol int

const (
	symbolSync symbol = iota
	symbolOrphan
	symbolReboot
	symbolModes
)

const (
	leave symbol = iota
	allow
	forbid
)

func modes(first, second symbol) symbol { return symbolModes + first + 3*second }

func (l symbol) mode(version int) symbol {
	l -= symbolModes
	if version == 1 {
		l /= 3
	}
	return l % 3
}

func (a *auto) key(to []byte, c code) []byte { return binary.LittleEndian.AppendUint32(to, uint32(c)) }

// isGoal says that the item is as the step leaves it, and its claims are met.
func (a *auto) isGoal(c code) bool {
	const what = 1<<taskAbsentAt - 1
	return !a.never && c&what == a.to && c&a.need == a.need && c.met() == 1<<len(a.claims)-1
}

// metBy reports whether the action is what the claim says. The actor of an
// action that has none is not checked.
func (c *claim) metBy(a *action) bool {
	return (c.actor == "" || a.Actor == "" || c.actor == a.Actor) && (c.action == "" || c.action == a.Name)
}
