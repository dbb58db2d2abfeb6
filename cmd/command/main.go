// Package command is tracecheck's command line. A program of a few lines offers it for its own
// specs: its main calls Main with them.
package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"tracecheck/internal/cmdline"
	"tracecheck/internal/console"
	"tracecheck/internal/garbage"
	"tracecheck/report"
	"tracecheck/validators"
)

// Main runs the command that the process's arguments name, with the specs, and ends
// the process with its exit status. Names of specs must differ.
func Main(specs ...*validators.Spec) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the second signal kills
	var collector garbage.Collector
	status := run(ctx, console.Environment{
		Specs: specs, Args: os.Args, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv,
		Collect: func(module, large bool) { collector.Begin(gcPercent(module), large) }, Grown: collector.Follow,
	})
	runtime.KeepAlive(&collector)
	os.Exit(status)
}

// statusUsage is the exit status for wrong usage and configuration and for I/O
// failures. The others are those of the verdicts.
const statusUsage = 2

// verdictStatus is the exit status of a run that has printed its verdict.
type verdictStatus int

func (s verdictStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// exit returns the error for an exit status; nil for 0.
func exit(status int) error {
	if status == 0 {
		return nil
	}
	return verdictStatus(status)
}

// run runs the command, and returns the exit status.
func run(ctx context.Context, env console.Environment) int {
	env.Screen, env.Stderr = env.Stderr, report.Visible(env.Stderr)
	err := cmdline.Run(ctx, newApp(env), env.Args)
	if err == nil {
		return 0
	}
	if status, ok := errors.AsType[verdictStatus](err); ok {
		return int(status)
	}
	fmt.Fprintf(env.Stderr, "tracecheck: %v\n", err)
	if _, bad := errors.AsType[unusableInput](err); bad {
		return validators.Unusable.ExitStatus()
	}
	return statusUsage
}

// gcPercent returns the percentage for the garbage collector. Evaluating a module makes more
// garbage than judging. 0: the environment sets the percentage.
func gcPercent(module bool) int {
	switch {
	case os.Getenv("GOGC") != "":
		return 0
	case module:
		return 100
	}
	return 30
}
