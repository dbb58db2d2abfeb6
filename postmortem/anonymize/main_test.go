package anonymize_test

import (
	"testing"

	"tracecheck/internal/garbage"
)

func TestMain(m *testing.M) {
	garbage.Seldom()
	m.Run()
}
