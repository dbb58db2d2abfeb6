package bind

import (
	"encoding/json"

	"tracecheck/tlaplus/eval"
	"tracecheck/tlaplus/value"
	"tracecheck/trace/codec"
)

// Persist implements validators.Machine.
func (m *machine) Persist(c *codec.Codec) {
	if err := guarded(func() { m.code(c) }); err != nil {
		c.Fail("%s", err)
	}
}

func (m *machine) code(c *codec.Codec) {
	codec.String(c, &m.header)
	codec.Int(c, &m.lines)
	if codec.Bool(c, &m.begun); c.Err() != nil || !m.begun {
		return
	}
	if c.Reading() {
		if m.header == "" {
			m.header = m.b.header
		}
		if err := m.ready(); err != nil {
			c.Fail("%s", err)
			return
		}
		m.wrote = make([][]writing, len(m.p.spec.Variables))
	}
	v := &valuesCodec{Codec: c, space: m.p.json.space}
	if !c.Reading() {
		for _, n := range m.frontier {
			v.collect(n.state.Vals)
		}
		for _, r := range m.reserve {
			for _, n := range r.nodes {
				v.collect(n.state.Vals)
			}
		}
		v.collect(m.initial)
	}
	v.names()
	v.list(&m.initial, len(m.p.spec.Variables))
	codec.Slice(c, &m.frontier, func(n **node) { v.node(n, len(m.p.spec.Variables)) })
	codec.Slice(c, &m.reserve, func(r *reserve) {
		codec.Int(c, &r.line)
		codec.Bool(c, &r.closed)
		codec.Bool(c, &r.all)
		codec.Int(c, &r.skip)
		codec.Slice(c, &r.nodes, func(n **node) { v.node(n, len(m.p.spec.Variables)) })
	})
	codec.Slice(c, &m.kept, func(at *place) { codePlace(c, at) })
	codec.Int(c, &m.keptFrom)
	codec.Int(c, &m.credit)
	codec.Bool(c, &m.many)
	codec.Bool(c, &m.dropped)
	for i := range m.wrote {
		codec.Slice(c, &m.wrote[i], func(w *writing) { codePlace(c, &w.at) })
	}
	if c.Reading() && c.Err() == nil && !m.holdsTogether() {
		c.Fail("the states to be tried and the lines that are kept for them do not fit together")
	}
}

// holdsTogether reports whether each line is kept that states in reserve may need.
func (m *machine) holdsTogether() bool {
	for _, r := range m.reserve {
		if len(r.nodes) == 0 || r.line < m.keptFrom || r.line > m.lines {
			return false
		}
	}
	return len(m.frontier) > 0 && (len(m.reserve) == 0 || len(m.kept) >= m.lines-m.keptFrom)
}

func codePlace(c *codec.Codec, at *place) {
	c.Name(&at.file)
	codec.Int(c, &at.line)
	codec.String(c, &at.raw)
}

// valuesCodec writes values. The strings come first, each once.
type valuesCodec struct {
	*codec.Codec
	space *value.Space
	known map[value.Value]int
	strs  []value.Value
}

// node writes a state of the frontier.
func (c *valuesCodec) node(n **node, variables int) {
	if c.Reading() {
		*n = &node{state: &eval.State{}}
	}
	of := *n
	c.list(&of.state.Vals, variables)
	codec.Uint(c.Codec, &of.down)
	broke := of.broke != nil
	if codec.Bool(c.Codec, &broke); !broke {
		return
	}
	if c.Reading() {
		of.broke = &breach{}
	}
	b := of.broke
	codec.String(c.Codec, &b.kind)
	codec.String(c.Codec, &b.rule)
	codec.String(c.Codec, &b.text)
	codePlace(c.Codec, &b.at)
	why, err := json.Marshal(&b.why)
	if codec.Slice(c.Codec, &why, func(b *byte) { codec.Uint(c.Codec, b) }); c.Reading() && c.Err() == nil {
		err = json.Unmarshal(why, &b.why)
	}
	if err != nil {
		c.Fail("%s", err)
	}
}

// collect finds the strings and model values.
func (c *valuesCodec) collect(list []value.Value) {
	if c.known == nil {
		c.known = map[value.Value]int{}
	}
	for _, v := range list {
		switch v := v.(type) {
		case *value.Str, *value.Model:
			if _, ok := c.known[v]; !ok {
				c.known[v] = len(c.strs)
				c.strs = append(c.strs, v)
			}
		case *value.Tuple:
			c.collect(v.Elems)
		case *value.Fcn:
			c.collect(v.Dom.Elems())
			c.collect(v.Vals())
		case *value.Set:
			c.collect(v.Elems())
		case *value.Subset:
			c.collect([]value.Value{v.Of})
		case *value.FcnSet:
			c.collect([]value.Value{v.Dom, v.Range})
		case *value.RecordSet:
			for _, n := range v.Names {
				c.collect([]value.Value{n})
			}
			c.collect(v.Sets)
		case *value.Product:
			c.collect(v.Sets)
		case *value.Seq:
			c.collect([]value.Value{v.Of})
		case *value.Lambda:
			c.collect([]value.Value{v.Force()})
		case *value.Binary:
			c.collect([]value.Value{v.A, v.B})
		}
	}
}

func textOf(v value.Value) string {
	if m, ok := v.(*value.Model); ok {
		return m.Name
	}
	return v.(*value.Str).Text
}

// names writes the strings.
func (c *valuesCodec) names() {
	codec.Slice(c.Codec, &c.strs, func(v *value.Value) {
		var text string
		var isModel bool
		if !c.Reading() {
			text = textOf(*v)
			_, isModel = (*v).(*value.Model)
		}
		codec.String(c.Codec, &text)
		codec.Bool(c.Codec, &isModel)
		if c.Reading() {
			if *v = c.space.String(text); isModel {
				*v = c.space.Model(text)
			}
		}
	})
}

// The sorts of values, as they are written.
const (
	asBool uint8 = iota
	asInt
	asName
	asTuple
	asFcn
	asSet
	asInterval
	asSubset
	asFcnSet
	asRecordSet
	asProduct
	asSeq
	asInfinite
	asBinary
	asNil
)

// list writes values, of which there are so many: another number is a fault.
func (c *valuesCodec) list(list *[]value.Value, most int) {
	codec.Slice(c.Codec, list, func(v *value.Value) { c.value(v, 0) })
	if c.Reading() && len(*list) != most {
		c.Fail("a state of %d variables where the module has %d", len(*list), most)
	}
}

// mostNested bounds values within values.
const mostNested = 10_000

func (c *valuesCodec) value(v *value.Value, depth int) {
	if depth > mostNested {
		c.Fail("a value is nested too deeply")
		return
	}
	if l, ok := (*v).(*value.Lambda); ok {
		*v = l.Force()
	}
	sort := c.sort(*v)
	codec.Uint(c.Codec, &sort)
	if c.Err() != nil {
		return
	}
	one := func(v *value.Value) { c.value(v, depth+1) }
	parts := func(list *[]value.Value) { codec.Slice(c.Codec, list, one) }
	switch sort {
	case asNil:
		c.Fail("a state with a value that cannot be saved")
	case asBool:
		b := *v == value.True
		codec.Bool(c.Codec, &b)
		*v = value.Truth(b)
	case asInt:
		n, _ := (*v).(value.Int)
		codec.Int(c.Codec, &n)
		*v = value.Of(int64(n))
	case asName:
		i := c.known[*v]
		if codec.Int(c.Codec, &i); i < 0 || i >= len(c.strs) {
			c.Fail("there is no string %d", i)
			return
		}
		*v = c.strs[i]
	case asTuple:
		var elems []value.Value
		if t, ok := (*v).(*value.Tuple); ok {
			elems = t.Elems
		}
		if parts(&elems); c.Reading() {
			*v = value.NewTuple(elems...)
		}
	case asFcn:
		var dom, vals []value.Value
		if f, ok := (*v).(*value.Fcn); ok {
			dom, vals = f.Dom.Elems(), f.Vals()
		}
		parts(&dom)
		if parts(&vals); c.Reading() && c.Err() == nil {
			if len(dom) != len(vals) {
				c.Fail("a function of %d arguments with %d values", len(dom), len(vals))
				return
			}
			*v = function(dom, vals)
		}
	case asSet:
		var elems []value.Value
		if s, ok := (*v).(*value.Set); ok {
			elems = s.Elems()
		}
		if parts(&elems); c.Reading() && c.Err() == nil {
			*v = value.NewSet(elems)
		}
	case asInterval:
		i, _ := (*v).(value.Interval)
		codec.Int(c.Codec, &i.Lo)
		codec.Int(c.Codec, &i.Hi)
		*v = i
	case asInfinite:
		i, _ := (*v).(value.Infinite)
		codec.Uint(c.Codec, &i)
		*v = i
	default:
		c.lazy(v, sort, one)
	}
}

// lazy writes the sets that are not enumerated.
func (c *valuesCodec) lazy(v *value.Value, sort uint8, one func(*value.Value)) {
	var parts []value.Value
	op := value.Union
	switch s := (*v).(type) {
	case *value.Subset:
		parts = []value.Value{s.Of}
	case *value.Seq:
		parts = []value.Value{s.Of}
	case *value.FcnSet:
		parts = []value.Value{s.Dom, s.Range}
	case *value.Product:
		parts = s.Sets
	case *value.RecordSet:
		for i, n := range s.Names {
			parts = append(parts, n, s.Sets[i])
		}
	case *value.Binary:
		parts, op = []value.Value{s.A, s.B}, s.Op
	}
	codec.Uint(c.Codec, &op)
	if codec.Slice(c.Codec, &parts, one); !c.Reading() || c.Err() != nil {
		return
	}
	n := len(parts)
	switch {
	case sort == asSubset && n == 1:
		*v = &value.Subset{Of: parts[0]}
	case sort == asSeq && n == 1:
		*v = &value.Seq{Of: parts[0]}
	case sort == asFcnSet && n == 2:
		*v = &value.FcnSet{Dom: parts[0], Range: parts[1]}
	case sort == asBinary && n == 2 && op <= value.Difference:
		*v = &value.Binary{Op: op, A: parts[0], B: parts[1]}
	case sort == asProduct:
		*v = &value.Product{Sets: parts}
	case sort == asRecordSet && n%2 == 0:
		var names []*value.Str
		var sets []value.Value
		for i := 0; i < n; i += 2 {
			name, ok := parts[i].(*value.Str)
			if !ok {
				c.Fail("a field's name is not a string")
				return
			}
			names, sets = append(names, name), append(sets, parts[i+1])
		}
		*v = value.NewRecordSet(names, sets)
	default:
		c.Fail("no value has the sort %d and %d parts", sort, n)
	}
}

func (c *valuesCodec) sort(v value.Value) uint8 {
	switch v.(type) {
	case value.Bool:
		return asBool
	case value.Int:
		return asInt
	case *value.Str, *value.Model:
		return asName
	case *value.Tuple:
		return asTuple
	case *value.Fcn:
		return asFcn
	case *value.Set:
		return asSet
	case value.Interval:
		return asInterval
	case *value.Subset:
		return asSubset
	case *value.FcnSet:
		return asFcnSet
	case *value.RecordSet:
		return asRecordSet
	case *value.Product:
		return asProduct
	case *value.Seq:
		return asSeq
	case value.Infinite:
		return asInfinite
	case *value.Binary:
		return asBinary
	}
	return asNil
}
