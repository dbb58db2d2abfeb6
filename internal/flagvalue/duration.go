package flagvalue

import (
	"context"
	"time"

	"github.com/urfave/cli/v2"
)

// DurationFlag is --duration.
func DurationFlag(d *Duration) cli.Flag {
	return &cli.GenericFlag{Name: "duration", Value: d, Usage: "stop after `DURATION`, such as 90s or 1h", DefaultText: "when interrupted"}
}

// Limited is ctx with the end that d sets, if it is set.
func Limited(ctx context.Context, d Duration) (context.Context, context.CancelFunc) {
	if d == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Duration(d))
}
