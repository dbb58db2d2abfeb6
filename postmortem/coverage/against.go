package coverage

import (
	"encoding/json"
	"errors"

	"tracecheck/validators"
)

// Change is what differs between an earlier report and this one.
type Change struct {
	File   string    `json:"file"`   // the earlier report
	Gained []Changed `json:"gained"` // newly exercised
	Lost   []Changed `json:"lost"`   // no longer exercised
}

// Changed is one thing of a spec.
type Changed struct {
	Spec string `json:"spec"`
	Item
}

// Compare notes what has changed since an earlier report, or since the JSON that validate
// wrote: data. That JSON has only the actions. Measures that the earlier report does not have
// are skipped. So is what the spec does not have any more.
func (r *Report) Compare(file string, data []byte) error {
	var old struct {
		Coverage []validators.Coverage `json:"coverage"`
	}
	if err := json.Unmarshal(data, &old); err != nil || len(old.Coverage) == 0 {
		return errors.New("it has no coverage: expected what coverage --output json wrote, or validate --output json")
	}
	r.Against = &Change{File: file, Gained: []Changed{}, Lost: []Changed{}}
	for i := range r.Coverage {
		now := &r.Coverage[i]
		before := find(old.Coverage, now.Spec)
		had, counted := map[Item]bool{}, map[Measure]bool{}
		for _, item := range Items(before) {
			counted[item.Measure] = true
			had[item.key()] = item.Count > 0
		}
		for _, item := range Items(now) {
			switch was := had[item.key()]; {
			case before.Spec == "" && item.Count > 0, counted[item.Measure] && !was && item.Count > 0:
				r.Against.Gained = append(r.Against.Gained, Changed{now.Spec, item})
			case was && item.Count == 0:
				r.Against.Lost = append(r.Against.Lost, Changed{now.Spec, item})
			}
		}
	}
	for i := range old.Coverage {
		if c := &old.Coverage[i]; find(r.Coverage, c.Spec).Spec == "" { // it judged nothing
			for _, item := range Items(c) {
				if item.Count > 0 {
					r.Against.Lost = append(r.Against.Lost, Changed{c.Spec, item})
				}
			}
		}
	}
	return nil
}

func (i Item) key() Item {
	i.Count = 0
	return i
}

// find returns the spec's coverage, an empty one where there is none.
func find(all []validators.Coverage, spec string) *validators.Coverage {
	for i := range all {
		if all[i].Spec == spec {
			return &all[i]
		}
	}
	return &validators.Coverage{}
}
