// Package health requests the health of a running monitor.
package health

import (
	"context"
	"encoding/json"
	"errors"

	"tracecheck/monitor/client"
)

// Ask requests whether the monitor is healthy and, with ready, whether it is ready. reasons
// are those why it is not.
func Ask(ctx context.Context, c *client.Client, ready bool) (well bool, reasons []string, err error) {
	path := "healthz"
	if ready {
		path = "readyz"
	}
	var answer struct {
		OK      *bool
		Reasons []string
	}
	err = c.Get(ctx, path, "", "health", func(body []byte) error {
		if err := json.Unmarshal(body, &answer); err != nil {
			return err
		}
		if answer.OK == nil {
			return errors.New("the answer lacks the field ok")
		}
		return nil
	})
	if err != nil {
		return false, nil, err
	}
	return *answer.OK, answer.Reasons, nil
}
