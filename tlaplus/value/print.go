package value

import (
	"math"
	"strconv"
	"strings"
)

// Show prints a value for a message: a long one is cut.
func Show(v Value) string {
	const most = 400
	p := printer{most: most, asIs: true}
	p.print(v)
	b := p.b
	if len(b) > most {
		return strings.ToValidUTF8(string(b[:most]), "") + "…"
	}
	return string(b)
}

// Append appends the value as TLC prints it.
func Append(b []byte, v Value) []byte { return AppendUpTo(b, v, math.MaxInt) }

// AppendUpTo is Append, but once b is longer than most it does not go on into the value:
// what follows may be anything. A value whose parts are shared can be far longer than the
// memory that it takes.
func AppendUpTo(b []byte, v Value, most int) []byte {
	p := printer{b: b, most: most}
	p.print(v)
	return p.b
}

// printer appends to b.
type printer struct {
	b    []byte
	most int
	asIs bool // no function is tabulated for it, which may fail
}

func (p *printer) text(s string) { p.b = append(p.b, s...) }

func (p *printer) isFull() bool { return len(p.b) > p.most }

func (p *printer) print(v Value) {
	if p.isFull() {
		return
	}
	switch v := v.(type) {
	case Bool:
		p.text(strings.ToUpper(strconv.FormatBool(bool(v))))
	case Int:
		p.b = strconv.AppendInt(p.b, int64(v), 10)
	case *Str:
		p.b = strconv.AppendQuote(p.b, v.Text)
	case *Model:
		p.text(v.Name)
	case *Tuple:
		p.list("<<", v.Elems, ">>")
	case *Fcn:
		p.fcn(v)
	case *Lambda:
		if !p.asIs && IsFinite(v.Dom) {
			p.print(v.Force())
			return
		}
		p.text("[x \\in ")
		p.print(v.Dom)
		p.text(" |-> …]")
	case *Set:
		p.list("{", v.Elems(), "}")
	case Interval:
		if v.Lo > v.Hi {
			p.text("{}")
			return
		}
		p.b = strconv.AppendInt(append(strconv.AppendInt(p.b, int64(v.Lo), 10), ".."...), int64(v.Hi), 10)
	case *Subset:
		if s := expanded(v); s != nil {
			p.print(s)
			return
		}
		p.text("SUBSET ")
		if _, ok := v.Of.(Interval); ok {
			p.text("(")
			p.print(v.Of)
			p.text(")")
			return
		}
		p.print(v.Of)
	case *FcnSet:
		if s := expanded(v); s != nil {
			p.print(s)
			return
		}
		p.text("[")
		p.print(v.Dom)
		p.text(" -> ")
		p.print(v.Range)
		p.text("]")
	case *RecordSet:
		if s := expanded(v); s != nil {
			p.print(s)
			return
		}
		p.text("[")
		for i, n := range v.Names {
			if i > 0 {
				p.text(", ")
			}
			p.text(n.Text + ": ")
			p.print(v.Sets[i])
		}
		p.text("]")
	case *Product:
		if s := expanded(v); s != nil {
			p.print(s)
			return
		}
		p.text("(")
		for i, s := range v.Sets {
			if i > 0 {
				p.text(" \\X ")
			}
			p.print(s)
		}
		p.text(")")
	case *Binary:
		p.text("(")
		p.print(v.A)
		p.text(" " + v.op() + " ")
		p.print(v.B)
		p.text(")")
	case *Filter:
		p.text("{x \\in ")
		p.print(v.Of)
		p.text(" : …}")
	case *Seq:
		p.text("Seq(")
		p.print(v.Of)
		p.text(")")
	case Infinite:
		p.text(infiniteNames[v])
	default:
		p.text("?")
	}
}

// mostPrinted is how many elements TLC prints of a set that it does not enumerate otherwise.
const mostPrinted = 2000

// expanded is a set of subsets, functions, records or tuples with its elements; nil where it
// has too many.
func expanded(v Value) (s *Set) {
	defer func() {
		if recover() != nil { // elements that cannot be compared
			s = nil
		}
	}()
	most := float64(mostPrinted)
	if _, ok := v.(*Subset); ok {
		most = 1 << 7
	}
	if n, ok := count(v); !ok || n >= most {
		return nil
	}
	return Enumerate(v)
}

func (p *printer) list(open string, list []Value, end string) {
	p.text(open)
	for i, e := range list {
		if p.isFull() {
			return
		}
		if i > 0 {
			p.text(", ")
		}
		p.print(e)
	}
	p.text(end)
}

func (p *printer) fcn(f *Fcn) {
	open, between, to, end := "(", " @@ ", " :> ", ")"
	record := f.IsRecord()
	if record {
		open, between, to, end = "[", ", ", " |-> ", "]"
	}
	p.text(open)
	for i, e := range f.Dom.Each() {
		if p.isFull() {
			return
		}
		if i > 0 {
			p.text(between)
		}
		if record {
			p.text(e.(*Str).Text)
		} else {
			p.print(e)
		}
		p.text(to)
		p.print(f.Val(i))
	}
	p.text(end)
}
