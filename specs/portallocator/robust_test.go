package portallocator_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"tracecheck/internal/exhaustive"
	"tracecheck/specs/internal/oracle"
	"tracecheck/specs/portallocator"
	"tracecheck/validators"
	"tracecheck/validators/validatorstest"
)

// noise is a line that need not make sense.
func noise(rng *rand.Rand) string {
	values := []string{"null", "true", "0", "-3", "2.5", "1e400", `""`, `"foo"`, "[]", "{}", `["tcp/80"]`, `["tcp/80","x"]`, "[7,null]",
		`[{"name":"foo"}]`, `[[{}]]`, `{"a":{"name":"foo"}}`, "9223372036854775808"}
	field := func(good ...string) string {
		if oracle.Chance(rng, 0.05) {
			return oracle.Pick(rng, values)
		}
		return oracle.Pick(rng, good)
	}
	ports := func() string {
		if oracle.Chance(rng, 0.1) {
			return oracle.Pick(rng, values)
		}
		var list []string
		for range rng.IntN(4) {
			list = append(list, fmt.Sprintf(`{"name":%s,"protocol":%s,"mode":%s,"published_port":%s}`, field(`"foo"`, `"bar"`),
				field(`"tcp"`, `"udp"`), field(`"ingress"`, `"host"`), field("0", "0", "80", "81", "30000", "30001")))
		}
		return "[" + strings.Join(list, ",") + "]"
	}
	kind, id, object := "endpoint", oracle.Pick(rng, []string{"a", "b", "c"}), ""
	switch {
	case oracle.Chance(rng, 0.2):
		kind, object = "allocator", `"allocated":`+field("[]", `["tcp/80"]`, `["tcp/30000","udp/30000"]`)
	case oracle.Chance(rng, 0.2):
		object = `"ports":` + ports()
	default:
		object = `"spec":` + ports() + `,"ports":` + ports()
	}
	more := ""
	if oracle.Chance(rng, 0.6) {
		more = fmt.Sprintf(`,"tx":%d`, rng.IntN(3))
	}
	if oracle.Chance(rng, 0.2) {
		more += fmt.Sprintf(`,"action":%q`, oracle.Pick(rng, []string{"NewEndpoint", "UpdateEndpoint", "RemoveEndpoint", "Nothing"}))
	}
	op := oracle.Pick(rng, []string{"snapshot", "create", "update", "update", "update", "delete", "reject"})
	return fmt.Sprintf(`{"kind":%q,"op":%q,"id":%q%s,"object":{%s}}`, kind, op, id, more, object)
}

// TestAnyInputIsJudged: whatever the lines say, each step is judged, and what
// is found lies in the input.
func TestAnyInputIsJudged(t *testing.T) {
	for seed := range exhaustive.Or[uint64](300, 2000) {
		rng := rand.New(rand.NewPCG(seed, 6))
		lines := make([]string, 1+rng.IntN(25))
		for i := range lines {
			lines[i] = noise(rng)
		}
		validatorstest.CheckFindings(t, portallocator.Spec, lines, validators.Options{
			Attach: oracle.Chance(rng, 0.4), Steps: oracle.Pick(rng, []validators.Steps{validators.Atomic, validators.Batched}),
			Constants: map[string]string{"dynamic_ports": "[30000,30001]"},
		})
	}
}
