package kafka

import (
	"strings"
	"testing"
)

func TestCheckTopic(t *testing.T) {
	t.Parallel()
	for name, ok := range map[string]bool{
		"a": true, "azAZ09._-": true, strings.Repeat("x", 249): true,
		"": false, strings.Repeat("x", 250): false, "a/b": false, "a b": false, "a\n": false, "é": false, "\xff": false,
	} {
		if err := CheckTopic(name); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
}
