package model_test

import (
	"fmt"
	"testing"

	"tracecheck/trace"
	"tracecheck/validators"
	"tracecheck/validators/model"
)

// A voucher is held by somebody, who gives it to somebody else. A guard compares who.

var (
	kindVoucher = trace.NewKind("voucher")
	fieldHolder = trace.NewField("holder")
	fieldGiver  = trace.NewField("giver")
)

type voucher struct{ Holder, Giver model.OptionalID }

type vouchers struct{ all model.Rows[voucher] }

type voucherChange = model.Change[voucher]

var voucherKind = &model.Kind[vouchers, voucher]{
	Kind: kindVoucher, Rows: func(s *vouchers) *model.Rows[voucher] { return &s.all },
	Columns: []model.Column[vouchers, voucher]{
		model.OptID[vouchers](fieldHolder, "People", func(t *voucher) *model.OptionalID { return &t.Holder }),
		model.OptID[vouchers](fieldGiver, "People", func(t *voucher) *model.OptionalID { return &t.Giver }),
	},
}

var voucherSpec = (&model.Model[vouchers, *voucherChange]{
	Name: "vouchers", Module: "Vouchers",
	Type:   validators.RuleDoc{Name: "TypeOK", Kind: validators.OfType},
	New:    func(validators.Config) (*vouchers, error) { return &vouchers{}, nil },
	Tables: []model.Table[vouchers]{voucherKind},
	Next: []*model.Action[vouchers, *voucherChange]{{
		Name: "Sell", Some: model.Changed(voucherKind),
		Effect: func(_ *vouchers, t **voucherChange) {
			*(*t).Create() = (*t).New
		},
	}, {
		Name: "Give", Some: model.Changed(voucherKind),
		Effect: func(_ *vouchers, t **voucherChange) {
			is := (*t).Now.Holder
			r := (*t).Write()
			r.Holder, r.Giver = (*t).New.Holder, is
		},
	}},
}).Spec()

// TestStateOwnsItsIDs: a line's bytes are used again once its step is judged, and the ids
// in the state stay.
func TestStateOwnsItsIDs(t *testing.T) {
	line := func(op, holder, giver string) string {
		return fmt.Sprintf(`{"kind":"voucher","op":%q,"id":"t","object":{"holder":%q,"giver":%s}}`, op, holder, giver)
	}
	for _, c := range []struct {
		name  string
		first string
		c     validators.Config
	}{
		{"created", line("create", "anna", "null"), validators.Config{}},
		{"shown by a snapshot", line("snapshot", "anna", "null"), validators.Config{}},
		{"seen first", line("update", "anna", "null"), validators.Config{Attach: true}},
	} {
		m, err := voucherSpec.New(c.c)
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range []string{
			c.first,
			line("update", "bert", `"anna"`),
			`{"kind":"voucher","op":"update","id":"t","object":{}}`,
			line("update", "carl", `"bert"`),
			line("update", "anna", `"carl"`),
		} {
			bytes := []byte(text)
			var d trace.Decoder
			var ev trace.Event
			if err := d.Decode(bytes, trace.Pos{Line: i + 1}, &ev); err != nil {
				t.Fatal(err)
			}
			if ev.Op == trace.OpSnapshot {
				m.Snapshot(&ev)
				m.SnapshotsEnd()
			} else if found, _, err := m.Step(&trace.Step{Events: []trace.Event{ev}}); err != nil || len(found) > 0 {
				t.Errorf("%s: line %d: %v %v", c.name, i+1, found, err)
			}
			clear(bytes)
		}
		is := ""
		m.Objects(func(_ trace.Kind, id string, object []byte) { is += id + string(object) })
		if want := `t{"holder":"anna","giver":"carl"}`; is != want {
			t.Errorf("%s: the state is %q, want %q", c.name, is, want)
		}
	}
}
