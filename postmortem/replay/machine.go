package replay

import (
	"strings"

	"github.com/tidwall/gjson"

	"tracecheck/trace"
	"tracecheck/validators"
)

// In a log that a module judges, only a machine can compute the objects.

// follow gives the machine a step, and ignores the findings.
func (f *follower) follow(step *trace.Step) error {
	for i := range step.Events {
		f.note(&step.Events[i])
	}
	_, _, err := f.machine.Step(step)
	return err
}

// Lost implements trace.Sink.
func (f *follower) Lost(err *trace.Error) {
	if f.Stream.Lost(err); f.machine != nil {
		f.machine.Lost()
	}
}

// take replaces the stream's objects by the machine's.
func (f *follower) take() {
	if f.machine == nil {
		return
	}
	variables, _ := f.machine.(validators.Variables)
	f.objects = map[key]*Object{}
	f.machine.Objects(func(kind trace.Kind, id string, object []byte) {
		o := &Object{Kind: kind, ID: strings.Clone(id), Made: f.Last, Last: f.Last, Fields: merge(nil, gjson.ParseBytes(object))}
		if variables != nil {
			o.Last = trace.Pos{}
			if list := variables.Writes(id); len(list) > 0 {
				o.Last = trace.Pos{File: list[len(list)-1].File, Line: list[len(list)-1].Line}
			}
		}
		f.objects[key{kind: kind, id: o.ID}] = o
	})
	if variables != nil {
		f.Possible = variables.Possible()
	}
}
