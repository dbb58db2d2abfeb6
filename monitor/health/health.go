// Package health asks a running monitor how it is.
package health

import (
	"context"
	"encoding/json"
	"errors"

	"tracecheck/monitor/client"
)

// Ask asks whether the monitor is well, and with ready, whether it is ready, too. It
// returns the reasons why it is not.
func Ask(ctx context.Context, c *client.Client, ready bool) (well bool, reasons []string, err error) {
	path := "healthz"
	if ready {
		path = "readyz"
	}
	var said struct {
		OK      *bool
		Reasons []string
	}
	err = c.Get(ctx, path, "", "health", func(body []byte) error {
		if err := json.Unmarshal(body, &said); err != nil {
			return err
		}
		if said.OK == nil {
			return errors.New("it does not say whether it is well")
		}
		return nil
	})
	if err != nil {
		return false, nil, err
	}
	return *said.OK, said.Reasons, nil
}
