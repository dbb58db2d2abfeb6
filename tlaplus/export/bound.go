package export

import (
	"context"
	"slices"
	"strings"

	"tracecheck/tlaplus/bind"
	tla "tracecheck/tlaplus/value"
	"tracecheck/trace"
	"tracecheck/validators"
)

// pathed is a machine that keeps a path.
type pathed interface {
	Path() ([]string, []bind.PathState)
}

// ExportBound reads a log that a bind file describes, and judges it. The behaviour is one path
// that explains the stream. Of opts, Spec, Instance, Constants and Others do not count. first
// is the first violation of the stream, nil if there is none: the states after it begin with
// the values that its line gives.
func ExportBound(ctx context.Context, source Source, b *bind.Bind, opts Options) (behaviour *Behaviour, first *validators.Violation, err error) {
	b.KeepPaths()
	machines := map[string]pathed{}
	var streams []string
	runner, err := validators.NewRunner(validators.Options{
		Specs: []*validators.Spec{b.Spec}, Steps: validators.Steps(opts.Steps), KeepGoing: true, Remember: opts.Remember, OnGap: opts.OnGap,
		Before: func(step *trace.Step, _ string, m validators.Machine) {
			if stream := step.Events[0].Stream; machines[stream] == nil {
				stream = strings.Clone(stream)
				streams = append(streams, stream)
				machines[stream], _ = m.(pathed)
			}
		},
	})
	if err != nil {
		return nil, nil, err
	}
	if err := source(ctx, runner.Push); err != nil {
		return nil, nil, err
	}
	result := runner.Finish()
	if result.Verdict == validators.Unusable {
		return nil, nil, &trace.Error{Reason: result.Reason}
	}
	stream, err := chosen(streams, opts.Stream, opts.Only)
	if err != nil {
		return nil, nil, err
	}
	for i := range result.Violations {
		if v := &result.Violations[i]; first == nil && v.Stream == stream {
			first = v
		}
	}
	variables, path := machines[stream].Path()
	behaviour = &Behaviour{module: &module{name: b.Spec.Module, variables: variables}}
	for _, s := range path {
		vars := map[string]value{}
		for i, v := range s.Values {
			vars[variables[i]] = ofTLA(v)
		}
		behaviour.states = append(behaviour.states, state{vars: vars, pos: s.Pos, action: s.Action})
	}
	return behaviour, first, nil
}

// ofTLA is a value of TLA+. What has no end stays a text.
func ofTLA(v tla.Value) value {
	switch v := v.(type) {
	case tla.Bool:
		return boolean(bool(v))
	case tla.Int:
		return integer(int(v))
	case *tla.Str:
		return str(v.Text)
	case *tla.Model:
		return model(v.Name)
	case *tla.Tuple:
		all := allOfTLA(v.Elems)
		if slices.ContainsFunc(all, func(e value) bool { return e.kind != all[0].kind }) {
			return tuple(all...)
		}
		return sequence(all...)
	case *tla.Fcn:
		if !v.IsRecord() {
			return value{kind: aFunction, keys: allOfTLA(v.Dom.Elems()), items: allOfTLA(v.Vals())}
		}
		r := value{kind: aRecord, items: allOfTLA(v.Vals())}
		for _, name := range v.Dom.Each() {
			r.names = append(r.names, name.(*tla.Str).Text)
		}
		return r
	case *tla.Lambda:
		if tla.IsFinite(v.Dom) {
			return ofTLA(v.Force())
		}
	default:
		if tla.IsSet(v) && tla.IsFinite(v) {
			return set(allOfTLA(tla.Enumerate(v).Elems())...)
		}
	}
	return value{kind: aFormula, text: string(tla.Append(nil, v))}
}

func allOfTLA(list []tla.Value) []value {
	all := make([]value, len(list))
	for i, v := range list {
		all[i] = ofTLA(v)
	}
	return all
}
