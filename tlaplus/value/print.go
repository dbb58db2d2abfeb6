package value

import (
	"strconv"
	"strings"
)

// Show prints a value for a message: a long one is cut.
func Show(v Value) string {
	const most = 400
	s := string(Append(nil, v))
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

// Append appends the value as TLC prints it.
func Append(b []byte, v Value) []byte {
	switch v := v.(type) {
	case Bool:
		return append(b, strings.ToUpper(strconv.FormatBool(bool(v)))...)
	case Int:
		return strconv.AppendInt(b, int64(v), 10)
	case *Str:
		return strconv.AppendQuote(b, v.Text)
	case *Model:
		return append(b, v.Name...)
	case *Tuple:
		return append(appendList(append(b, "<<"...), v.Elems), ">>"...)
	case *Fcn:
		return v.append(b)
	case *Lambda:
		return append(Append(append(b, "[x \\in "...), v.Dom), " |-> …]"...)
	case *Set:
		return append(appendList(append(b, '{'), v.Elems()), '}')
	case Interval:
		if v.Lo > v.Hi {
			return append(b, "{}"...)
		}
		return strconv.AppendInt(append(strconv.AppendInt(b, int64(v.Lo), 10), ".."...), int64(v.Hi), 10)
	case *Subset:
		if s := expanded(v); s != nil {
			return Append(b, s)
		}
		if _, ok := v.Of.(Interval); ok {
			return append(Append(append(b, "SUBSET ("...), v.Of), ')')
		}
		return Append(append(b, "SUBSET "...), v.Of)
	case *FcnSet:
		if s := expanded(v); s != nil {
			return Append(b, s)
		}
		return append(Append(append(Append(append(b, '['), v.Dom), " -> "...), v.Range), ']')
	case *RecordSet:
		if s := expanded(v); s != nil {
			return Append(b, s)
		}
		b = append(b, '[')
		for i, n := range v.Names {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = Append(append(append(b, n.Text...), ": "...), v.Sets[i])
		}
		return append(b, ']')
	case *Product:
		if s := expanded(v); s != nil {
			return Append(b, s)
		}
		b = append(b, '(')
		for i, s := range v.Sets {
			if i > 0 {
				b = append(b, " \\X "...)
			}
			b = Append(b, s)
		}
		return append(b, ')')
	case *Binary:
		return append(Append(append(append(Append(append(b, '('), v.A), " "+v.op()+" "...), ""...), v.B), ')')
	case *Filter:
		return append(Append(append(b, "{x \\in "...), v.Of), " : …}"...)
	case *Seq:
		return append(Append(append(b, "Seq("...), v.Of), ')')
	case Infinite:
		return append(b, infiniteNames[v]...)
	}
	return append(b, '?')
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

func appendList(b []byte, list []Value) []byte {
	for i, e := range list {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = Append(b, e)
	}
	return b
}

func (f *Fcn) append(b []byte) []byte {
	record := f.IsRecord()
	if record {
		b = append(b, '[')
	} else {
		b = append(b, '(')
	}
	for i, e := range f.Dom.Each() {
		switch {
		case i > 0 && record:
			b = append(b, ", "...)
		case i > 0:
			b = append(b, " @@ "...)
		}
		if record {
			b = append(append(b, e.(*Str).Text...), " |-> "...)
		} else {
			b = append(Append(b, e), " :> "...)
		}
		b = Append(b, f.Val(i))
	}
	if record {
		return append(b, ']')
	}
	return append(b, ')')
}
