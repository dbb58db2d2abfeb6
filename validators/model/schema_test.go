package model_test

import (
	"slices"
	"testing"

	"tracecheck/trace"
	"tracecheck/trace/codec"
	"tracecheck/validators/model"
	"tracecheck/validators/validatorstest"
)

// ticket is an object that a spec keeps by itself.
type ticket struct {
	Phase uint8
	Paid  bool
	model.Marks
}

var tickets = model.NewSchema(kindJob,
	model.Enum[struct{}](fieldState, phases, func(r *ticket) *uint8 { return &r.Phase }),
	model.Bool[struct{}](fieldPaid, func(r *ticket) *bool { return &r.Paid }))

var fieldPaid = trace.NewField("paid")

const ofState, ofPaid model.Columns = 1, 2

// TestSchema: what the columns alone make of lines.
func TestSchema(t *testing.T) {
	s := &struct{}{}
	for _, c := range []struct {
		name  string
		was   ticket
		op    string
		given string
		want  ticket
		gives model.Columns
		json  string
		wrong []string
	}{
		{"all of it", ticket{}, "create", `{"paid":true,"state":"running"}`, ticket{Phase: running, Paid: true}, ofState | ofPaid, `{"state":"running","paid":true}`, nil},
		{"some of it", ticket{Phase: running, Paid: true}, "update", `{"state":"waiting"}`, ticket{Phase: waiting, Paid: true}, ofState, `{"state":"waiting","paid":true}`, nil},
		{"other fields", ticket{Phase: running}, "update", `{"color":"red"}`, ticket{Phase: running}, 0, `{"state":"running","paid":false}`, nil},
		{"outside its type", ticket{Phase: running}, "update", `{"state":"late"}`, ticket{Marks: model.Marks{Bad: ofState}}, ofState, `{"state":"?","paid":false}`,
			[]string{`job a: state "late" is not in {"waiting", "running"}`}},
		{"and back", ticket{Marks: model.Marks{Bad: ofState}}, "update", `{"state":"waiting"}`, ticket{Phase: waiting}, ofState, `{"state":"waiting","paid":false}`, nil},
		{"left out", ticket{Marks: model.Marks{Bad: ofState | ofPaid}}, "create", `{"state":7}`, ticket{Marks: model.Marks{Bad: ofState | ofPaid}}, ofState, `{"state":"?","paid":false}`,
			[]string{`job a: state 7 is not in {"waiting", "running"}`, "job a: paid (left out) is not in BOOLEAN"}},
		{"seen at last", ticket{Marks: model.Marks{Unseen: ofState | ofPaid}}, "update", `{"paid":true}`, ticket{Paid: true, Marks: model.Marks{Unseen: ofState}}, ofPaid, `{"state":"?","paid":true}`, nil},
	} {
		ev := &validatorstest.Events(t, `{"kind":"job","op":"`+c.op+`","id":"a","object":`+c.given+`}`)[0]
		r, gives := c.was, model.Columns(0)
		if noted := tickets.Merge(s, &r, &r.Marks, &gives, ev.Fields); r != c.want || gives != c.gives || noted != 0 {
			t.Errorf("%s: %+v gives %b, notes %b", c.name, r, gives, noted)
		}
		if got := string(tickets.JSON(s, &r)); got != c.json {
			t.Errorf("%s: %s, want %s", c.name, got, c.json)
		}
		var wrong []string
		if r.Bad != 0 {
			tickets.Wrong(s, "job a", ev, r.Bad, func(text string) { wrong = append(wrong, text) })
		}
		if !slices.Equal(wrong, c.wrong) {
			t.Errorf("%s: %q, want %q", c.name, wrong, c.wrong)
		}
		again, err := recoded(r)
		if err != nil || again != r {
			t.Errorf("%s: read back as %+v, %v", c.name, again, err)
		}
	}
	if _, err := recoded(ticket{Marks: model.Marks{Bad: 4}}); err == nil {
		t.Error("a mark of a column that there is not is read")
	}
	if tickets.All != ofState|ofPaid || tickets.Whole != tickets.All {
		t.Errorf("columns %b, of a whole object %b", tickets.All, tickets.Whole)
	}
	if docs := tickets.Describe(); len(docs) != 2 || docs[0].Field != "state" || !slices.Equal(docs[0].Values, []string{"waiting", "running"}) || docs[1].Type != "BOOLEAN" {
		t.Errorf("documented as %+v", docs)
	}
}

// recoded is the object, written down and read.
func recoded(r ticket) (again ticket, err error) {
	w := codec.Writer(nil)
	tickets.Code(&struct{}{}, w, &r, &r.Marks)
	c := codec.Reader(w.Data())
	tickets.Code(&struct{}{}, c, &again, &again.Marks)
	return again, c.Err()
}
