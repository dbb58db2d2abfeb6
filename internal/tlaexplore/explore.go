package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"tracecheck/tlaplus/config"
	"tracecheck/tlaplus/eval"
	"tracecheck/tlaplus/value"
)

// counts are of the states within the constraints, modulo VIEW and SYMMETRY.
type counts struct {
	Distinct  int      `json:"distinct"`
	Generated int      `json:"generated"`          // initial states and repeats included
	Depth     int      `json:"depth"`              // the initial states have 1
	Edges     int      `json:"edges"`              // distinct pairs
	Violated  []string `json:"violated,omitempty"` // invariants, in the order in which they are found
	initial   int
}

// explorer goes through the states breadth first.
type explorer struct {
	counts
	spec    *eval.Spec
	run     *eval.Run
	judging *eval.Run // evaluates the invariants
	most    int
	states  []*eval.State
	keys    []value.Value
	depth   []int
	index   map[uint64][]int
}

func explore(module, cfg string, most int) (*counts, error) {
	text, err := os.ReadFile(cfg)
	if err != nil {
		return nil, err
	}
	c, err := config.Parse(filepath.Base(cfg), text)
	if err != nil {
		return nil, err
	}
	c.Properties = nil // they do not change the counts, and not all of them can be judged
	spec, err := eval.LoadSpec(module, c, eval.Options{})
	if err != nil {
		return nil, err
	}
	x := &explorer{counts: counts{Depth: 1}, spec: spec, run: spec.NewRun(), judging: spec.NewRun(), most: most, index: map[uint64][]int{}}
	if err := x.all(); err != nil {
		return nil, err
	}
	x.Generated += x.run.Between
	return &x.counts, nil
}

func (x *explorer) all() error {
	var failed error
	see := func(s *eval.State, from *eval.State, depth int, edges map[int]bool) bool {
		x.Generated++
		in, err := x.allowed(from, s, depth)
		switch {
		case err != nil:
		case in:
			err = x.add(s, depth, edges)
		default:
			err = x.judge(s, depth) // TLC looks no further than such a state
		}
		if err == nil && len(x.states) > x.most {
			err = fmt.Errorf("there are more than %d states", x.most)
		}
		failed = err
		return failed == nil
	}
	x.run.Level = 0
	if err := x.spec.Initial(x.run, func(s *eval.State) bool { return see(s, nil, 1, nil) }); err != nil {
		return err
	}
	x.initial = len(x.states)
	for i := 0; i < len(x.states) && failed == nil; i++ {
		edges := map[int]bool{}
		x.run.Level = x.depth[i]
		from := x.states[i]
		if err := x.spec.Successors(x.run, from, func(s *eval.State) bool { return see(s, from, x.depth[i]+1, edges) }); err != nil {
			return err
		}
		x.Edges += len(edges)
	}
	x.Distinct = len(x.states)
	return failed
}

// allowed evaluates the constraints. Those of a state read its own depth as their level, those
// of a step that of the state before it.
func (x *explorer) allowed(from, s *eval.State, depth int) (bool, error) {
	level := x.run.Level
	defer func() { x.run.Level = level }()
	x.run.Level = depth
	for i := range x.spec.Constraints {
		if ok, err := x.spec.Constraints[i].Holds(x.run.Fork(), s, nil); err != nil || !ok {
			return false, err
		}
	}
	if from == nil {
		return true, nil
	}
	x.run.Level = level
	for i := range x.spec.ActionConstraints {
		if ok, err := x.spec.ActionConstraints[i].Holds(x.run.Fork(), from, s); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

func (x *explorer) add(s *eval.State, depth int, edges map[int]bool) error {
	key, err := x.spec.Key(x.run.Fork(), s)
	if err != nil {
		return err
	}
	h := value.Hash(key)
	at := -1
	for _, i := range x.index[h] {
		if value.Equal(x.keys[i], key) {
			at = i
		}
	}
	if at < 0 {
		at = len(x.states)
		x.states, x.keys, x.depth = append(x.states, s), append(x.keys, key), append(x.depth, depth)
		x.index[h] = append(x.index[h], at)
		x.Depth = max(x.Depth, depth)
		if err := x.judge(s, depth); err != nil {
			return err
		}
	}
	if edges != nil {
		edges[at] = true
	}
	return nil
}

// judge evaluates the invariants that no state before has violated.
func (x *explorer) judge(s *eval.State, depth int) error {
	x.judging.Level = depth
	for i := range x.spec.Invariants {
		p := &x.spec.Invariants[i]
		if slices.Contains(x.Violated, p.Name) {
			continue
		}
		if ok, err := p.HoldsAgain(x.judging, s); err != nil {
			return err
		} else if !ok {
			x.Violated = append(x.Violated, p.Name)
		}
	}
	return nil
}
