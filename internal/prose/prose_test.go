package prose

import (
	"fmt"
	"strings"
	"testing"
)

// faults is a test that keeps what it is given as errors.
type faults struct {
	testing.TB
	list []string
}

func (f *faults) Helper() {}
func (f *faults) Errorf(format string, args ...any) {
	f.list = append(f.list, fmt.Sprintf(format, args...))
}

func TestCheck(t *testing.T) {
	long := strings.Repeat("word ", Most)
	for text, want := range map[string]string{
		long:                                  "",
		long + "more":                         "a sentence of 21 words",
		long + "- %":                          "",
		long[:50] + ". Then " + long:          "a sentence of 21 words",
		long[:50] + ". Then " + long[:50]:     "",
		"- " + long + "\n- " + long:           "",
		"| " + long + " | " + long + " |":     "",
		"It stands for itself.":               `has "stands"`,
		"It has `stands`.":                    "",
		"%s is no set":                        `"%s is no set"`,
		"a value, which is no set":            `"which is no set"`,
		"There is no set. It is no longer so": "",
	} {
		f := faults{TB: t}
		Check(&f, "here", text)
		if got := strings.Join(f.list, "; "); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
