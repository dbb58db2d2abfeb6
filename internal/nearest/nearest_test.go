package nearest

import (
	"strings"
	"testing"
)

func TestName(t *testing.T) {
	names := []string{"validate", "explain", "state", "slice", "task", "desired_state", "pvc", "node"}
	for word, want := range map[string]string{
		"vaildate":                          "validate",
		"vlidate":                           "validate", // the second letter is missing
		"lice":                              "slice",
		"nose":                              "", // one letter makes another word of a short name
		"Validate":                          "validate",
		"stat":                              "state",
		"tasks":                             "task",
		"Task":                              "task",
		"desiredState":                      "desired_state",
		"desired-state":                     "desired_state",
		"val":                               "",
		"pod":                               "",
		"Event":                             "",
		"":                                  "",
		"x":                                 "",
		"frobnicate":                        "",
		strings.Repeat("v", 1000):           "",
		"validate" + strings.Repeat("e", 2): "validate",
	} {
		if got := Name(word, names); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}

func TestOr(t *testing.T) {
	if got := Or("tsak", []string{"task"}, "want task"); got != `did you mean "task"?` {
		t.Error(got)
	}
	if got := Or("pod", []string{"task"}, "want task"); got != "want task" {
		t.Error(got)
	}
}
