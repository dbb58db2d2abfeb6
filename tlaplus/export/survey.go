package export

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"tracecheck/internal/kinds"
	"tracecheck/postmortem/replay"
	"tracecheck/trace"
)

// survey is what a trace has.
type survey struct {
	opts    Options
	streams []string
	stream  string
	meta    trace.Meta
	metaErr error

	firsts     [trace.MaxKinds]first // of each kind
	events     int
	snapshots  bool                      // the behaviour begins with some
	nodes      []string                  // first seen by an update
	tasks      map[string]*replay.Object // that lines show as a whole, the first time
	requests   []string
	clusters   []string
	declared   int // how many of them the constant has, where it is given
	workers    []string
	namespaces []string
	conf       string
	refuted    bool // a request failed before it was applied
	seen       map[objectKey]bool
}

// first is the first event of a kind.
type first struct {
	number   int // from 1; 0: there is none
	snapshot bool
}

func newSurvey(opts Options) *survey {
	return &survey{opts: opts, seen: map[objectKey]bool{}, tasks: map[string]*replay.Object{}}
}

func (s *survey) push(events []trace.Event) error {
	for i := range events {
		ev := &events[i]
		if !slices.Contains(s.streams, ev.Stream) {
			s.streams = append(s.streams, strings.Clone(ev.Stream))
		}
		if s.opts.Only && ev.Stream != s.opts.Stream || !s.opts.Only && ev.Stream != s.streams[0] {
			continue
		}
		s.look(ev)
	}
	return nil
}

func (s *survey) look(ev *trace.Event) {
	if ev.Kind == trace.KindMeta {
		if s.events == 0 {
			s.meta, s.metaErr = trace.ParseMeta(ev)
		}
		return
	}
	s.events++
	if f := &s.firsts[ev.Kind]; f.number == 0 {
		*f = first{s.events, ev.Op == trace.OpSnapshot}
	}
	add := func(list *[]string, name string) {
		if name != "" && !slices.Contains(*list, name) {
			*list = append(*list, strings.Clone(name))
		}
	}
	key := objectKey{ev.Kind, ev.ID}
	isFirst := !s.seen[key]
	if isFirst {
		s.seen[objectKey{ev.Kind, strings.Clone(ev.ID)}] = true
	}
	switch ev.Kind {
	case kinds.Node:
		if isFirst && ev.Op == trace.OpUpdate {
			add(&s.nodes, ev.ID)
		}
	case kinds.Task:
		if s.tasks[ev.ID] == nil && (ev.Op == trace.OpCreate || ev.Op == trace.OpSnapshot) {
			var one replay.Stream
			one.Apply(ev)
			o := one.Object(ev.Kind, ev.ID)
			s.tasks[o.ID] = o
		}
	case kinds.Container:
		add(&s.workers, nameIn(ev, fieldNode))
	case kinds.Request:
		if isFirst {
			s.requests = append(s.requests, strings.Clone(ev.ID))
		}
		s.refuted = s.refuted || ev.Fields.Get(fieldStatus).Str == "failure"
	case kinds.Cluster:
		if v := ev.Fields.Get(fieldConfOK); v.Type == trace.Bool && s.conf == "" {
			s.conf = v.String()
		}
	case kinds.Syncer:
		add(&s.clusters, ev.ID)
		add(&s.namespaces, nameIn(ev, fieldNamespace))
	case kinds.Namespace, kinds.PVC:
		for _, e := range clustersOf(ev) {
			add(&s.clusters, e)
		}
		if ev.Kind == kinds.Namespace {
			add(&s.namespaces, ev.ID)
		}
	}
}

// nameIn is the name that the field gives, "" if it gives none.
func nameIn(ev *trace.Event, field trace.FieldName) string {
	if v := ev.Fields.Get(field); v.Type == trace.String {
		return v.Str
	}
	return ""
}

// confOK is whether there is a valid conf, from what is logged, or else from how
// the first request fared.
func (s *survey) confOK() bool { return s.conf == "true" || s.conf == "" && !s.refuted }

// chosen is the stream of that name, where only is set, else the only one.
func chosen(streams []string, name string, only bool) (string, error) {
	switch {
	case len(streams) == 0:
		return "", &trace.Error{Reason: "the input has no events"}
	case only && !slices.Contains(streams, name):
		return "", fmt.Errorf("the trace has no stream %q: it has %q", name, streams)
	case only:
		return name, nil
	case len(streams) > 1:
		return "", fmt.Errorf("a behaviour has one stream, but the trace has %d: choose one with --stream, such as %q", len(streams), streams[0])
	}
	return streams[0], nil
}

// settle decides what is exported.
func (s *survey) settle() (*Behaviour, error) {
	var err error
	if s.stream, err = chosen(s.streams, s.opts.Stream, s.opts.Only); err != nil {
		return nil, err
	}
	if s.metaErr != nil {
		return nil, s.metaErr
	}
	m, err := s.module()
	if err != nil {
		return nil, err
	}
	earliest := first{number: s.events + 1}
	for _, k := range m.kinds {
		if f := s.firsts[k]; f.number > 0 && f.number < earliest.number {
			earliest = f
		}
	}
	if s.snapshots = earliest.snapshot; earliest.number > s.events {
		return nil, fmt.Errorf("the trace has no event that %s reads", m.spec)
	}
	b := &Behaviour{module: m, steps: s.opts.Steps, profile: s.meta.Profile, constants: map[string]string{}}
	if b.steps == "" {
		b.steps = s.meta.Steps
	}
	for _, all := range []map[string]string{s.meta.Constants, s.opts.Constants} {
		for name, json := range all {
			b.constants[name] = json
		}
	}
	switch m {
	case &workerImpl:
		b.instance, err = s.choose("worker", s.workers)
	case &kcpStorage:
		b.instance, err = s.choose("namespace", s.namespaces)
		s.allClusters(b.constants["clusters"])
	}
	return b, err
}

// allClusters are those of the constant, and those that lines name.
func (s *survey) allClusters(constant string) {
	var names []string
	if json.Unmarshal([]byte(constant), &names) == nil {
		s.declared = len(names)
		for _, name := range s.clusters {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		s.clusters = names
	}
}

// isCluster says that the i-th of them is in CLUSTERS.
func (s *survey) isCluster(i int) bool { return s.declared == 0 || i < s.declared }

func (s *survey) choose(what string, names []string) (string, error) {
	switch {
	case s.opts.Instance != "" && slices.Contains(names, s.opts.Instance):
		return s.opts.Instance, nil
	case s.opts.Instance != "":
		return "", fmt.Errorf("the trace has no %s %q: it has %q", what, s.opts.Instance, names)
	case len(names) == 1:
		return names[0], nil
	case len(names) == 0:
		return "", fmt.Errorf("the trace names no %s", what)
	}
	return "", fmt.Errorf("a behaviour has one %s, but the trace has %d: choose one with --instance, such as %q", what, len(names), names[0])
}

// module is the one chosen, that of the meta line, or the one whose kinds the
// trace has.
func (s *survey) module() (*module, error) {
	names := s.meta.Specs
	if s.opts.Spec != "" {
		names = []string{s.opts.Spec}
	}
	if len(names) == 0 {
		for _, m := range s.modules() {
			if slices.ContainsFunc(m.kinds, func(k trace.Kind) bool { return s.firsts[k].number > 0 && k != kinds.Node && k != kinds.Task }) {
				names = append(names, m.spec)
			}
		}
	}
	if len(names) == 0 {
		names = []string{swarmKit.spec}
	}
	if len(names) > 1 {
		return nil, fmt.Errorf("a behaviour has one spec, but the trace has %s: choose one with --spec", strings.Join(names, ", "))
	}
	for _, m := range s.modules() {
		if m.spec == names[0] {
			return m, nil
		}
	}
	return nil, fmt.Errorf("unknown spec %q", names[0])
}
