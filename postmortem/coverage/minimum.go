package coverage

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Minimum is what is required: percents by measure. It is the value of a flag.
type Minimum map[Measure]float64

// Below is a share that is less than required.
type Below struct {
	Share
	Wanted float64 `json:"wanted"` // percent
}

// Set reads "80", of the actions, or "actions=80,transitions=60".
func (m *Minimum) Set(text string) error {
	min := Minimum{}
	for _, part := range strings.Split(text, ",") {
		name, number, named := strings.Cut(part, "=")
		measure := Measure(name)
		if !named {
			measure, number = Actions, part
		}
		percent, err := strconv.ParseFloat(number, 64)
		_, twice := min[measure]
		if !slices.Contains(Measures[:], measure) || err != nil || !(percent >= 0 && percent <= 100) || twice {
			return fmt.Errorf("expected percents from 0 to 100: 80 is for the actions; actions=80,transitions=60 is for two measures. The measures are %s; name each once", names())
		}
		min[measure] = percent
	}
	*m = min
	return nil
}

// String returns the minimum as Set reads it.
func (m *Minimum) String() string {
	var list []string
	for _, measure := range Measures {
		if percent, ok := (*m)[measure]; ok {
			list = append(list, fmt.Sprintf("%s=%g", measure, percent))
		}
	}
	return strings.Join(list, ",")
}

func names() string {
	var list []string
	for _, m := range Measures {
		list = append(list, string(m))
	}
	return strings.Join(list, ", ")
}

// Check notes the shares that are below the minimum, each spec's by itself. What
// a spec has nothing of is not asked for.
func (r *Report) Check(min Minimum) {
	for _, s := range r.Shares {
		if wanted, ok := min[s.Measure]; ok && s.Percent() < wanted {
			r.Below = append(r.Below, Below{s, wanted})
		}
	}
}
