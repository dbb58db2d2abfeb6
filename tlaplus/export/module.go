package export

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"tracecheck/trace"
)

// checks are what TLC checks in addition to each step being one of Next.
type checks struct {
	invariants, properties []string
	define                 string // what the module does not define
}

// checking is a behaviour that becomes a module for TLC.
type checking struct {
	*Behaviour
	names  map[string]map[string]string // model values' identifiers, by sort and id
	taken  map[string]bool
	lines  []string // of the configuration's constants
	define []string
}

// cfg adds a constant to the configuration.
func (c *checking) cfg(format string, args ...any) {
	c.lines = append(c.lines, fmt.Sprintf(format, args...))
}

func (c *checking) number(name string, otherwise int64) int64 {
	if n, ok := trace.Integer(c.constants[name]); ok {
		return n
	}
	return otherwise
}

// ErrBatched means that a trace's steps sum up several actions, of which TLC
// would have to find those in between.
var ErrBatched = errors.New("the trace's steps are batched: TLC checks steps of one action each; judge it with tracecheck, or export it as ITF")

// WriteModule writes a module of that name and its configuration. With them, TLC checks only
// the behaviour's states, against the spec's own module.
func (b *Behaviour) WriteModule(module, cfg io.Writer, name string) error {
	if err := b.module.checkable(); err != nil {
		return err
	}
	if b.steps == "batched" {
		return ErrBatched
	}
	c := &checking{Behaviour: b, names: map[string]map[string]string{}, taken: map[string]bool{}}
	states := b.total()
	for _, s := range states {
		for _, variable := range b.module.variables {
			c.meet(s.vars[variable])
		}
	}
	b.module.constants(c)
	w := bufio.NewWriter(module)
	c.writeModule(w, name, states)
	if err := w.Flush(); err != nil {
		return err
	}
	w = bufio.NewWriter(cfg)
	c.writeConfig(w)
	return w.Flush()
}

// Needs names the modules that TLC needs beside the one that is written.
func (b *Behaviour) Needs() string {
	switch b.module {
	case &swarmKit:
		return "SwarmKit.tla and the modules that it extends (Types, Tasks, WorkerSpec, EventCounter)"
	case &workerImpl:
		return "WorkerImpl.tla and the modules that it names (Types, Tasks, WorkerSpec, EventCounter)"
	}
	return b.module.name + ".tla"
}

// total are the states with nodes as the modules have them: a constant set, so
// that one that is not there yet is as it will be, and one that goes, by nobody's
// step, is down from a state of its own on.
func (b *Behaviour) total() []state {
	if !slices.Contains(b.module.variables, "nodes") {
		return b.states
	}
	var all []string
	now := map[string]value{}
	for _, s := range b.states {
		for _, e := range s.vars["nodes"].entries() {
			if _, ok := now[e.key.text]; !ok {
				all = append(all, e.key.text)
				now[e.key.text] = e.value
			}
		}
	}
	seen := map[string]bool{}
	var list []state
	add := func(s state) {
		nodes := function()
		for _, n := range all {
			nodes.put(id("node", n), now[n])
		}
		s.vars = maps.Clone(s.vars)
		s.vars["nodes"] = nodes
		list = append(list, s)
	}
	for i, s := range b.states {
		for _, n := range all {
			if _, is := s.vars["nodes"].field(n); !is && seen[n] && now[n].text != "down" {
				now[n] = str("down")
				add(b.states[i-1])
			}
		}
		for _, e := range s.vars["nodes"].entries() {
			now[e.key.text], seen[e.key.text] = e.value, true
		}
		add(s)
	}
	return list
}

// meet gives an identifier to each model value.
func (c *checking) meet(v value) {
	if v.kind == anID {
		c.identifier(v)
	}
	for _, k := range v.keys {
		c.meet(k)
	}
	for _, item := range v.items {
		c.meet(item)
	}
}

func (c *checking) identifier(v value) string {
	known := c.names[v.sort]
	if known == nil {
		known = map[string]string{}
		c.names[v.sort] = known
	}
	if name, ok := known[v.text]; ok {
		return name
	}
	plain := strings.Map(func(r rune) rune {
		if r < 128 && (r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
			return r
		}
		return '_'
	}, v.text)
	name := v.sort + "_" + plain
	for n := 2; c.taken[name]; n++ {
		name = fmt.Sprintf("%s_%s_%d", v.sort, plain, n)
	}
	known[v.text], c.taken[name] = name, true
	return name
}

// pad adds model values of a sort until there are so many.
func (c *checking) pad(sort string, least int) {
	for n := 1; len(c.names[sort]) < least; n++ {
		c.identifier(id(sort, fmt.Sprintf("spare %d", n)))
	}
}

// sort is the set of all values of a sort.
func (c *checking) sort(sort string) string {
	var list []string
	for _, name := range c.names[sort] {
		list = append(list, name)
	}
	slices.Sort(list)
	return "{" + strings.Join(list, ", ") + "}"
}

// swarm is what Types.tla has for constants, with so many tasks at least. Slots
// and ServiceSpecs are those that the behaviour has: TLC tries all there are, and
// whether a step between two of its states is allowed does not depend on others.
func (c *checking) swarm(tasks int) {
	c.pad("service", 1)
	c.pad("task", tasks)
	c.cfg("Node = %s", c.sort("node"))
	c.cfg("ServiceId = %s", c.sort("service"))
	c.cfg("TaskId = %s", c.sort("task"))
	most := 1
	specs := map[string]bool{}
	for _, s := range c.states {
		for _, t := range s.vars["tasks"].items {
			slot, _ := t.field("slot")
			most = max(most, whole(slot))
		}
		for _, e := range s.vars["services"].entries() {
			replicas, _ := e.value.field("replicas")
			remove, _ := e.value.field("remove")
			if (whole(replicas) > 0 || replicas.text == "0" || replicas.kind == aModelValue) && remove.kind == aBoolean {
				specs[c.tla(e.value)] = true
			}
		}
		for _, e := range s.vars["containers"].entries() {
			most = max(most, whole(e.key.items[1]))
		}
	}
	c.cfg("maxReplicas = %d", most)
	c.cfg("%s = %s", unassigned, unassigned)
	c.cfg("%s = %s", global, global)
	c.given("ServiceSpec", sortedKeys(specs))
}

// given defines a constant set, or a set that the module defines wider, as those
// elements. They are in the module, since a configuration cannot read every string.
func (c *checking) given(name string, elements []string) {
	c.cfg("%s <- Trace%s", name, name)
	text := "{}"
	if len(elements) > 0 {
		text = "{\n  " + strings.Join(elements, ",\n  ") + "\n}"
	}
	c.define = append(c.define, "Trace"+name+" == "+text)
}

func whole(v value) int {
	n, err := strconv.Atoi(v.text)
	if v.kind != anInteger || err != nil {
		return 0
	}
	return n
}

// tla is the value as TLA+ writes it.
func (c *checking) tla(v value) string {
	switch v.kind {
	case anInteger, aModelValue:
		return v.text
	case aBoolean:
		return strings.ToUpper(v.text)
	case anID:
		return c.identifier(v)
	case aString:
		return tlaString(v.text)
	}
	parts := make([]string, len(v.items))
	for i, item := range v.items {
		parts[i] = c.tla(item)
	}
	switch {
	case v.kind == aSet:
		return "{" + strings.Join(parts, ", ") + "}"
	case v.kind == aSequence || len(parts) == 0:
		return "<<" + strings.Join(parts, ", ") + ">>"
	case v.kind == aRecord:
		for i := range parts {
			parts[i] = v.names[i] + " |-> " + parts[i]
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	for i := range parts {
		parts[i] = c.tla(v.keys[i]) + " :> " + parts[i]
	}
	return "(" + strings.Join(parts, " @@ ") + ")"
}

func tlaString(s string) string {
	var b bytes.Buffer
	b.WriteByte('"')
	for _, r := range s {
		switch r {
		case '"', '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case '\n':
			b.WriteString(`\n`)
		case '\t':
			b.WriteString(`\t`)
		case '\r':
			b.WriteString(`\r`)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func (c *checking) writeModule(w io.Writer, name string, states []state) {
	m := c.module
	fmt.Fprintf(w, "---- MODULE %s ----\n", name)
	fmt.Fprintf(w, "(* %d states of a trace, which TLC checks against %s.tla: whether each step is one\n   of Next, or changes nothing. Written by tracecheck.%s *)\n", len(states), m.name, c.kindly("\n   Of the trace: "))
	fmt.Fprintf(w, "EXTENDS %s, TLC\n\n", m.name)
	if all := c.modelValues(); len(all) > 0 {
		fmt.Fprintf(w, "CONSTANTS %s\n\n", strings.Join(all, ", "))
	}
	fmt.Fprintf(w, "VARIABLE traceStep \\* the number of the state\n\nTrace == <<\n")
	for i, s := range states {
		if pos := s.pos; pos.Line > 0 {
			fmt.Fprintf(w, "  \\* %d: after %s\n", i+1, oneLine(pos.String()))
		} else {
			fmt.Fprintf(w, "  \\* %d\n", i+1)
		}
		for k, variable := range m.variables {
			before := "   "
			if k == 0 {
				before = "  ["
			}
			fmt.Fprintf(w, "%s%s |-> %s", before, variable, c.tla(s.vars[variable]))
			if k < len(m.variables)-1 {
				fmt.Fprintln(w, ",")
			}
		}
		if i < len(states)-1 {
			fmt.Fprintln(w, "],")
		} else {
			fmt.Fprintln(w, "]")
		}
	}
	fmt.Fprintf(w, ">>\n\nTraceInit ==\n  /\\ traceStep = 1\n")
	for _, v := range m.variables {
		fmt.Fprintf(w, "  /\\ %s = Trace[1].%s\n", v, v)
	}
	fmt.Fprintf(w, "\nTraceNext ==\n  \\/ /\\ traceStep < %d\n     /\\ traceStep' = traceStep + 1\n", len(states))
	for _, v := range m.variables {
		fmt.Fprintf(w, "     /\\ %s' = Trace[traceStep + 1].%s\n", v, v)
	}
	fmt.Fprintf(w, "  \\/ /\\ traceStep = %d \\* the end is not a deadlock\n     /\\ UNCHANGED <<traceStep, vars>>\n", len(states))
	fmt.Fprintf(w, "\nTraceSpec == TraceInit /\\ [][TraceNext]_<<traceStep, vars>>\n\nTraceConforms == [][Next]_vars\n")
	for _, d := range append(c.define, m.checks.define) {
		if d != "" {
			fmt.Fprintf(w, "\n%s\n", d)
		}
	}
	fmt.Fprintf(w, "====\n")
}

// oneLine keeps a comment a comment.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func (c *checking) modelValues() (all []string) {
	for _, known := range c.names {
		for _, name := range known {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

func (c *checking) writeConfig(w io.Writer) {
	fmt.Fprintln(w, "SPECIFICATION TraceSpec")
	fmt.Fprintln(w, "CONSTANTS")
	for _, name := range c.modelValues() {
		fmt.Fprintf(w, "  %s = %s\n", name, name)
	}
	for _, line := range c.lines {
		fmt.Fprintln(w, "  "+line)
	}
	for _, name := range c.module.checks.invariants {
		fmt.Fprintln(w, "INVARIANT "+name)
	}
	fmt.Fprintln(w, "PROPERTY TraceConforms")
	for _, name := range c.module.checks.properties {
		fmt.Fprintln(w, "PROPERTY "+name)
	}
}
