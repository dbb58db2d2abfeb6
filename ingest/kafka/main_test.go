package kafka

import (
	"testing"

	"tracecheck/internal/garbage"
	"tracecheck/internal/waits"
)

func TestMain(m *testing.M) {
	waits.Together()
	garbage.Seldom()
	m.Run()
}
