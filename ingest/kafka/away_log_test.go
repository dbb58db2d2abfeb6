package kafka

import (
	"context"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// That brokers are away is logged again and again, ever more rarely.
func TestAwayIsLoggedAgain(t *testing.T) {
	t.Parallel()
	core, logged := observer.New(zap.WarnLevel)
	s := open(t, Options{Brokers: []string{"127.0.0.1:1"}, Topics: []string{"t"}, Timeout: Forever, Log: zap.New(core)})
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		err := s.Attempt(t.Context(), "do it", func(context.Context) error {
			if time.Since(began) < time.Hour {
				return syscall.ECONNREFUSED
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
	all := logged.FilterMessageSnippet("Kafka does not answer").All()
	if len(all) < 8 || len(all) > 20 {
		t.Errorf("it was logged %d times in an hour", len(all))
	}
	if !strings.Contains(all[len(all)-1].ContextMap()["error"].(string), "check the address") {
		t.Errorf("the last one has %v", all[len(all)-1].ContextMap())
	}
	if logged.FilterMessageSnippet("Kafka is back").Len() != 1 {
		t.Error("their return is not logged")
	}
}
