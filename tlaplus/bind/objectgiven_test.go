package bind_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// What a line gives a field, what it leaves out and what no line has given are three things.
func TestObjectsGiven(t *testing.T) {
	of := func(op, object string) string {
		return fmt.Sprintf(`{"kind":"request","op":%q,"id":"anna","object":{%s}}`, op, object)
	}
	const required = "required: {request: [status]}\n"
	for _, c := range []struct {
		name, more string
		lines      []string
		want       string // as in TestObjects
		part       string
	}{
		{"null is a value", "null: '\"waiting\"'\n", []string{of("update", `"status":null`), update("anna", "processing")}, "", ""},
		{"a refusal may give null", "null: '\"busy\"'\nrefused: {request: {Busy: 'refused.request.anna.status = \"busy\"'}}\n",
			[]string{of("reject", `"status":null`), of("reject", "")}, "2 rejection Busy", ""},
		{"an update may leave out what a create may not", required, []string{of("update", ""), update("anna", "waiting")}, "", ""},
		{"a create lacks a field", required, []string{of("create", "")}, "1 transition Next", "request anna: create without the field status"},
		{"a create gives null", required, []string{of("create", `"status":null`)}, "", ""},
		{"a snapshot lacks a field", required, []string{request("snapshot", "bert", "idle", "", ""), of("snapshot", ""), update("bert", "waiting")},
			"2 type required", "request anna: snapshot without the field status"},
		{"no field is required", "", []string{of("create", ""), update("anna", "waiting")}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, err := changed(t, func(text string) string { return text + c.more })
			if err != nil {
				t.Fatal(err)
			}
			opts := validators.Options{Specs: []*validators.Spec{b.Spec}, KeepGoing: true}
			r := validatorstest.Judge(t, opts, c.lines...)
			got, message := "", r.Reason
			if len(r.Violations) > 0 {
				v := &r.Violations[0]
				got, message = fmt.Sprintf("%d %s %s", v.LastLine, v.Kind, v.Rule), v.Message
			}
			if got != c.want || !strings.Contains(message, c.part) {
				t.Errorf("%s, %q (%s), want %s, %q", r.Verdict, got, message, c.want, c.part)
			}
			validatorstest.CutAll(t, c.name, []byte(strings.Join(c.lines, "\n")), opts)
		})
	}
}

// The cfg may name what only the bind file defines. It is about the objects, too.
func TestObjectsInvariant(t *testing.T) {
	b, err := changed(t, func(text string) string {
		return strings.Replace(text, "{Clients: shown.request}", `{Clients: shown.request, Known: '\A c \in DOMAIN objects.request : objects.request[c].status # "lost"'}`, 1)
	}, "INIT Init\nNEXT Next\nINVARIANT Known\n")
	if err != nil {
		t.Fatal(err)
	}
	r := validatorstest.Judge(t, validators.Options{Specs: []*validators.Spec{b.Spec}}, update("anna", "waiting"), update("bert", "idle"), update("bert", "lost"))
	if len(r.Violations) != 1 || r.Violations[0].Rule != "Known" || r.Violations[0].LastLine != 3 {
		t.Errorf("%s %s %+v", r.Verdict, r.Reason, r.Violations)
	}
}

// Lines in the trace format may have clocks, too. Those that are no steps need none.
func TestObjectsOrdered(t *testing.T) {
	b, err := changed(t, func(text string) string {
		return text + "order: {clock: e.object.vc, node: e.object.node}\n"
	})
	if err != nil {
		t.Fatal(err)
	}
	of := func(id, status, clock string) string {
		return fmt.Sprintf(`{"kind":"request","op":"update","id":%q,"object":{"status":%q,"node":%q,"vc":{%s}}}`, id, status, id, clock)
	}
	for clock, want := range map[string]string{
		`,"object":{"status":"processing","node":"bert","vc":{"bert":2,"anna":3}}`: "",
		`,"object":{"status":"processing","node":"bert","vc":{"bert":2,"anna":2}}`: "5 transition", // anna still has it
		`,"object":{"status":"processing"}`:                                        "the line has no clock: give it one",
	} {
		list := validatorstest.Events(t, meta("atomic"), request("snapshot", "carl", "idle", "", ""),
			of("bert", "waiting", `"bert":1,"anna":1`), of("anna", "waiting", `"anna":1`), `{"kind":"request","op":"update","id":"bert"`+clock+`}`,
			of("anna", "idle", `"anna":3`), of("anna", "processing", `"anna":2`))
		r, err := validators.NewRunner(validators.Options{Specs: []*validators.Spec{b.Spec}})
		if err != nil {
			t.Fatal(err)
		}
		order, got := b.Order(), ""
		if err := cmp.Or(order.Each(list, r.Push), order.End()); err != nil {
			got = err.Error()
		} else if v := r.Finish().Violations; len(v) > 0 {
			got = fmt.Sprint(v[0].LastLine, " ", v[0].Kind)
		}
		if !strings.HasSuffix(got, want) || (got == "") != (want == "") {
			t.Errorf("%s: %q, want %q", clock, got, want)
		}
	}
}
