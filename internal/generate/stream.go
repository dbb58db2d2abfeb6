package generate

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"tracecheck/internal/generate/walk"
	"tracecheck/trace"
)

// generator makes the lines.
type generator struct {
	Options
	chance  *walk.Rand // which stream, how many actions
	streams []*stream
	left    int64 // events yet to be made
	lines   int64 // made, meta included
	steps   int64 // made
	step    walk.Step
	out     []byte
	target
}

// stream is one behaviour of each spec.
type stream struct {
	name     string
	walks    []walk.Walk
	openings []int // lines yet to come of each
	seq      int64
}

// meta writes the stream's first line.
func (g *generator) meta(st *stream, specs []*walk.Spec) {
	g.lines++
	b := append(g.out, '{')
	if st.name != "" {
		b = append(append(append(b, `"stream":"`...), st.name...), `",`...)
	}
	b = append(b, `"kind":"meta","object":{"format":1,"spec":[`...)
	for i, s := range specs {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, '"'), s.Name...), '"')
	}
	steps := "atomic"
	if g.Batch > 0 {
		steps = "batched"
	}
	b = append(append(append(b, `],"steps":"`...), steps...), '"')
	if text := constantsOf(g.Constants); text != "" {
		b = append(append(b, `,"constants":`...), text...)
	}
	g.out = append(b, "}}\n"...)
}

// next makes a stream's next step, or its next line of the opening.
func (g *generator) next() {
	st := g.streams[0]
	if n := len(g.streams); n > 1 {
		st = g.streams[g.chance.N(n)]
	}
	g.steps++
	g.step.Begin(uint64(g.steps))
	room := int(min(g.left, maxLines))
	if i := st.opens(); i >= 0 {
		st.openings[i]--
		st.walks[i].Open(&g.step)
		g.write(st)
		return
	}
	if g.hit(st, room) {
		g.write(st)
		return
	}
	w := st.walks[0]
	if n := len(st.walks); n > 1 {
		w = st.walks[g.chance.N(n)]
	}
	actions := 1
	if g.Batch > 1 {
		actions = g.chance.In(1, g.Batch)
		g.step.Large, g.step.Huge = actions > manyActions, actions > tooMany
	}
	for range actions {
		w.Take(&g.step, room-len(g.step.Lines))
		if g.step.Full || len(g.step.Lines) >= room {
			break
		}
	}
	g.write(st)
}

// How many actions summed up in one step are many, and very many: a judge who
// looks for them has to find an order that suits them all.
const (
	manyActions = 8
	tooMany     = 40
)

// maxLines bounds a step's lines.
const maxLines = 1 << 30

// opens is which walk of the stream has lines of its opening, -1 if none has.
func (st *stream) opens() int {
	for i, n := range st.openings {
		if n > 0 {
			return i
		}
	}
	return -1
}

// write writes the step's lines.
func (g *generator) write(st *stream) {
	at := g.now()
	g.overdue(st)
	b := g.out
	for i := range g.step.Lines {
		l := &g.step.Lines[i]
		g.lines++
		g.left--
		b = append(b, '{')
		if st.name != "" {
			b = append(append(append(b, `"stream":"`...), st.name...), `",`...)
		}
		st.seq++
		b = strconv.AppendInt(append(b, `"seq":`...), st.seq, 10)
		b = at.AppendFormat(append(b, `,"time":"`...), time.RFC3339Nano)
		if b = append(b, '"'); len(g.step.Lines) > 1 {
			b = strconv.AppendInt(append(b, `,"tx":`...), g.steps, 10)
		}
		b = append(append(b, `,"kind":"`...), l.Object.Kind().String()...)
		b = append(append(append(b, `","op":"`...), l.Op.String()...), '"')
		mark := len(b)
		b = append(b, `,"id":"`...)
		if id := l.Object.AppendID(b); len(id) > len(b) {
			b = append(id, '"')
		} else {
			b = b[:mark]
		}
		if l.Claim != nil && (!g.NoClaims || l.Insist) {
			if l.Claim.Actor != "" {
				b = append(append(append(b, `,"actor":"`...), l.Claim.Actor...), '"')
			}
			if l.Claim.Name != "" {
				b = append(append(append(b, `,"action":"`...), l.Claim.Name...), '"')
			}
		}
		if l.Op != trace.OpDelete {
			b = l.Object.AppendFields(append(b, `,"object":`...), l.Fields)
		}
		b = append(b, "}\n"...)
	}
	g.out = b
}

// constantsOf is the constants as a JSON object, "" for none.
func constantsOf(constants map[string]string) string {
	if len(constants) == 0 {
		return ""
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(constants)) {
		b.WriteByte("{,"[min(b.Len(), 1)])
		b.WriteString(strconv.Quote(name) + ":" + constants[name])
	}
	return b.String() + "}"
}
