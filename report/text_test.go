package report

import (
	"encoding/json"
	"fmt"
	"strings"

	"tracecheck/validators"
)

type textCase struct {
	result *validators.Result
	opts   TextOptions
}

// textCases has one result for each shape that a report can take.
func textCases() map[string]textCase {
	seq := int64(1042)
	skipped := validators.Violation{
		Stream: "prod-eu", Spec: "swarmkit", Kind: validators.OfTransition, Rule: "Next",
		File: "events.jsonl", Line: 1042, FirstLine: 1042, LastLine: 1042, Seq: &seq, Time: "2026-11-20T03:00:00.123Z",
		Message: "no action of SwarmKit explains this step: task t1 goes from new to assigned and moves from node unassigned to n1. Nearest is Scheduler, but not: State(t) = pending (State(t) = new)",
		Nearest: []validators.Near{
			{
				Action: "Scheduler", Actor: "scheduler", Failed: []string{"State(t) = pending"}, Values: []string{"State(t) = new"},
				Held: []string{"UNCHANGED << services, nodes, nEvents >>", `node \in candidateNodes`,
					"UpdateTasks(t :> [t EXCEPT !.status.state = assigned, !.node = node])"},
			},
			{
				Action: "RejectTask", Failed: []string{`State(t) \in { assigned, accepted, preparing, ready, starting }`, "IsUp(t.node)"},
				Values: []string{"State(t) = new", ""},
			},
		},
		Changes: []validators.Change{{
			Kind: "task", ID: "t1",
			Before: json.RawMessage(`{"service":"web","slot":1,"node":"","state":"new","desired_state":"running"}`),
			After:  json.RawMessage(`{"service":"web","slot":1,"node":"n1","state":"assigned","desired_state":"running"}`),
		}},
		Events: []validators.Event{{File: "events.jsonl", Line: 1042, Raw: json.RawMessage(`{"stream":"prod-eu","seq":1042,"time":"2026-11-20T03:00:00.123Z","tx":"4711","kind":"task","op":"update","id":"t1","actor":"scheduler","action":"Scheduler","object":{"state":"assigned","node":"n1"}}`)}},
		History: []validators.Event{
			{File: "events.0.jsonl", Line: 9, Raw: json.RawMessage(`{"kind":"task","op":"create","id":"t1","time":"2026-11-20T02:59:00Z","actor":"orchestrator","action":"CreateSlot","object":{"image":"tiny:1","service":"web","slot":1,"node":"","state":"new","desired_state":"running"}}`)},
			{File: "events.jsonl", Line: 1000, Raw: json.RawMessage(`{"kind":"task","op":"update","id":"t1","object":{"message":"waiting"}}`)},
		},
	}
	one := func(v ...validators.Violation) *validators.Result {
		return &validators.Result{Version: 1, Verdict: validators.Violated, Events: 1050, Steps: 1040, Streams: 1, Violations: v}
	}
	return map[string]textCase{
		"conforming": {result: &validators.Result{
			Verdict: validators.Conforming, Events: 1234567, Steps: 1234566, Streams: 1, Specs: []string{"swarmkit"},
			Coverage: []validators.Coverage{exercise("swarmkit", 20, 14), exercise("tiny", 1, 1)},
			Desired:  []validators.StreamState{{Spec: "swarmkit", InDesiredState: true, SinceFile: "events.jsonl", SinceLine: 1042, SinceTime: "2026-11-20T03:00:00Z"}},
		}},
		"conforming_streams": {result: conformingStreams()},
		"one_to_its_end": {result: &validators.Result{
			Verdict: validators.Unusable, Reason: "events.jsonl:9: gap in the default stream", Events: 9, Steps: 8, Streams: 2,
			Desired: []validators.StreamState{{Stream: "b", Spec: "swarmkit", InDesiredState: true, SinceFile: "events.jsonl", SinceLine: 7}},
		}},
		"at_risk":          {result: atRisk(1)},
		"at_risk_streams":  {result: atRisk(6)},
		"late":             {result: one(late())},
		"violation":        {result: one(skipped)},
		"violation_color":  {result: one(skipped), opts: TextOptions{Color: true, Width: 80}},
		"violation_narrow": {result: one(skipped), opts: TextOptions{Width: 60, Notes: []string{"each stream was judged up to its first violating step."}}},
		"messages":         {result: one(messages())},
		"several_rules":    {result: one(severalRules()...)},
		"large_step":       {result: one(largeStep())},
		"many":             {result: one(many(23)...)},
		"hostile":          {result: one(hostile())},
		"unusable": {result: &validators.Result{
			Verdict: validators.Unusable, Events: 17, Steps: 12, Streams: 2, Duplicates: 2, Gaps: 1, Skipped: 3,
			Reason: "events.jsonl:18: gap in stream \"prod-eu\": seq 5 follows 2; recover the missing events, or continue at the next snapshot with --on-gap resync",
		}},
		"unusable_violated": {result: func() *validators.Result {
			r := one(skipped)
			r.Verdict, r.Reason = validators.Unusable, "events.jsonl:1051: the line is not JSON"
			return r
		}()},
		"unusable_empty": {result: &validators.Result{Verdict: validators.Unusable, Reason: "the input has no events"}},
		"interrupted": {
			result: &validators.Result{
				Verdict: validators.Unusable, Partial: true, Events: 10, Steps: 9, Streams: 1,
				Reason: "interrupted before the input ended: what was judged conforms, the rest is not known",
			},
			opts: TextOptions{Notes: []string{"the run ended before the input did: it was interrupted."}},
		},
	}
}

// exercise is the coverage of a spec of which the first actions were exercised.
func exercise(spec string, actions, exercised int) validators.Coverage {
	c := validators.Coverage{Spec: spec}
	for i := range actions {
		c.Actions = append(c.Actions, validators.ActionCount{Action: fmt.Sprintf("Action%d", i), Count: max(0, exercised-i)})
	}
	return c
}

func conformingStreams() *validators.Result {
	r := &validators.Result{Verdict: validators.Conforming, Events: 90, Steps: 90, Streams: 9, Specs: []string{"swarmkit"},
		Coverage: []validators.Coverage{exercise("swarmkit", 20, 2)}}
	for i := range 9 {
		r.Desired = append(r.Desired, validators.StreamState{
			Stream: fmt.Sprintf("eu-%d", i), Spec: "swarmkit", InDesiredState: i < 2, SinceFile: "events.jsonl", SinceLine: 10 + i})
	}
	return r
}

// atRisk has more that waits than is shown, and a property of the stream itself.
func atRisk(streams int) *validators.Result {
	r := &validators.Result{Verdict: validators.Conforming, Events: 90, Steps: 90, Streams: streams, Specs: []string{"swarmkit"}}
	for i := range streams {
		stream := fmt.Sprintf("eu-%d", i)
		scheduler := validators.Liveness{
			Stream: stream, Spec: "swarmkit", Rule: "WF_vars(Scheduler)", Status: validators.AtRisk,
			SinceFile: "events.jsonl", SinceLine: 40, SinceTime: "2026-11-20T03:00:00Z", Open: 5000,
		}
		for i := range validators.MaxWaiting {
			scheduler.Waiting = append(scheduler.Waiting, validators.Waiting{Kind: "task", ID: fmt.Sprintf("t%d", i),
				Action: "Scheduler", SinceFile: "events.jsonl", SinceLine: 40 + i, SinceTime: "2026-11-20T03:00:00Z"})
		}
		r.Liveness = append(r.Liveness,
			validators.Liveness{Stream: stream, Spec: "swarmkit", Rule: "WF_vars(Reaper)", Status: validators.Holding},
			scheduler,
			validators.Liveness{
				Stream: stream, Spec: "swarmkit", Rule: "WF_vars(OrchestratorProgress)", Status: validators.AtRisk, SinceFile: "events.jsonl", SinceLine: 7, Open: 1,
				Waiting: []validators.Waiting{{Kind: "service", ID: "web", Part: "slot 3", Action: "ReplaceTask", SinceFile: "events.jsonl", SinceLine: 7, Reason: "in slot 3: t9 (failed)"}},
			},
			validators.Liveness{
				Stream: stream, Spec: "swarmkit", Rule: "EventuallyAsDesired", Status: validators.AtRisk, SinceFile: "events.jsonl", SinceLine: 9, Open: 1,
				Waiting: []validators.Waiting{{Action: "EventuallyAsDesired", SinceFile: "events.jsonl", SinceLine: 9, Reason: "because of service web"}},
			})
	}
	return r
}

// messages is a step of three messages, the first of the partition among them.
func messages() validators.Violation {
	v := validators.Violation{
		Stream: "prod-eu", Spec: "swarmkit", Kind: validators.OfInvariant, Rule: "Inv",
		File: "kafka:orders/3", Line: 2, FirstLine: 1, LastLine: 11, Message: "task t1 breaks Inv", Total: 11,
		History: []validators.Event{{File: "kafka:orders/3", Line: 1, Raw: json.RawMessage(`{"kind":"node","op":"create","id":"n1"}`)}},
	}
	for _, line := range []int{1, 2, 11} {
		v.Events = append(v.Events, validators.Event{File: v.File, Line: line, Raw: json.RawMessage(`{"kind":"node","op":"update","id":"n1","object":{"state":"down"}}`)})
	}
	return v
}

func late() validators.Violation {
	return validators.Violation{
		Spec: "swarmkit", Kind: validators.OfLiveness, Rule: "WF_vars(Scheduler)", File: "events.jsonl", Line: 90, FirstLine: 90, LastLine: 90,
		Message: "task t1 waits for Scheduler since events.jsonl:12, 6m0s: longer than the deadline of 5m0s",
		Events:  []validators.Event{{File: "events.jsonl", Line: 90, Raw: json.RawMessage(`{"kind":"node","op":"update","id":"n1","object":{"state":"down"}}`)}},
	}
}

// severalRules has a step over two files that breaks three rules, and a
// snapshot, which has no step to show.
func severalRules() []validators.Violation {
	step := validators.Violation{
		Spec: "swarmkit", Kind: validators.OfTransition, Rule: "Next", File: "b.jsonl", Line: 2,
		FirstFile: "a.jsonl", FirstLine: 99, LastLine: 3, Message: "service web is deleted.",
		Events: []validators.Event{
			{File: "a.jsonl", Line: 99, Raw: json.RawMessage(`{"tx":1,"kind":"task","op":"update","id":"t1","object":{}}`)},
			{File: "b.jsonl", Line: 2, Raw: json.RawMessage(`{"tx":1,"kind":"service","op":"delete","id":"web"}`)},
		},
		Changes: []validators.Change{
			{Kind: "service", ID: "web", Before: json.RawMessage(`{"replicas":5,"remove":false}`), After: json.RawMessage("null")},
			{
				Kind: "endpoint", ID: "d",
				Before: json.RawMessage(`{"name":"` + strings.Repeat("a", 80) + `","id":1}`),
				After:  json.RawMessage(`{"name":"` + strings.Repeat("b", 80) + `","id":2}`),
			},
			{Kind: "endpoint", ID: "e", After: json.RawMessage(`{"ports":[{"name":"http","published_port":80}]}`)},
		},
	}
	inv, claim := step, step
	inv.Kind, inv.Rule, inv.Message = validators.OfInvariant, "Inv", "task t1 breaks Inv."
	inv.Line = 3
	claim.Kind, claim.Rule, claim.Message = validators.OfClaim, "actor", "service web claims the actor reaper."
	snapshot := validators.Violation{
		Spec: "swarmkit", Kind: validators.OfType, Rule: "TypeOK", File: "b.jsonl", Line: 7, FirstLine: 5, LastLine: 9,
		Message: `task t9: state "?" is not in TaskState`,
	}
	return []validators.Violation{step, inv, claim, snapshot}
}

// largeStep has more lines, changes and actions than are shown.
func largeStep() validators.Violation {
	v := validators.Violation{
		Spec: "swarmkit", Kind: validators.OfProperty, Rule: "StepTransitionsOK", File: "a.jsonl", Line: 1, FirstLine: 1, LastLine: 5000,
		Message: "many tasks change.", Total: 5000,
	}
	for i := range validators.MaxChanges {
		v.Events = append(v.Events, validators.Event{File: "a.jsonl", Line: i + 1, Raw: json.RawMessage(
			fmt.Sprintf(`{"tx":1,"kind":"task","op":"update","id":"t%d","object":{"state":"pending"}}`, i))})
		v.Changes = append(v.Changes, validators.Change{
			Kind: "task", ID: fmt.Sprintf("t%d", i),
			Before: json.RawMessage(`{"slot":1,"state":"new"}`), After: json.RawMessage(`{"slot":1,"state":"pending","node":"n1"}`),
		})
	}
	for range 5000 {
		v.Sequence = append(v.Sequence, "AllocateTask")
	}
	for i := range 40 {
		v.Sequence = append(v.Sequence, fmt.Sprintf("Action%d", i))
	}
	return v
}

func many(n int) []validators.Violation {
	var all []validators.Violation
	for i := range n {
		all = append(all, validators.Violation{
			Spec: "swarmkit", Kind: validators.OfTransition, Rule: "Next", File: "a.jsonl", Line: i + 1, FirstLine: i + 1, LastLine: i + 1,
			Message: strings.Repeat("long words of explanation ", 5),
		})
	}
	return all
}

// hostile tries to steer the terminal from the trace.
func hostile() validators.Violation {
	return validators.Violation{
		Stream: "\x1b]0;gone\a", Spec: "swarmkit", Kind: "strange", Rule: "New\nRule", File: "a\tb.jsonl", Line: 1, FirstLine: 1, LastLine: 1,
		Message: "task \x1b[2J\u202egnihton is fine\u2066\x00 \xff caf\u00e9",
		Changes: []validators.Change{{Kind: "task", ID: "\x1b[31mred", Before: json.RawMessage("{\"a\u009b\":\"\u009b1m\"}"), After: json.RawMessage(`not JSON`)}},
		Events:  []validators.Event{{File: "a\tb.jsonl", Line: 1, Raw: json.RawMessage("{\"kind\":\"task\",\"id\":\"\u009b2J\"}")}},
		Nearest: []validators.Near{{Action: "A\x1b[0m", Failed: []string{"x\ry"}, Values: []string{"\x1b[5m"}}},
		History: []validators.Event{{File: "a\tb.jsonl", Line: 1, Raw: json.RawMessage(`{"kind":"task","op":"update","id":"\u001b[2J","object":{"\u001b[1m":1}}`)}},
	}
}
