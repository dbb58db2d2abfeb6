package monitor_test

import (
	"testing"

	"tracecheck/internal/waits"
)

func TestMain(m *testing.M) {
	waits.Together()
	m.Run()
}
