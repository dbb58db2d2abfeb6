// Package live waits for services of a swarm that runs.
package live

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"go.uber.org/zap"

	"tracecheck/ingest/swarm"
	"tracecheck/internal/console"
	"tracecheck/postmortem/converge"
)

const (
	// lookEvery is how often the clock is looked at: silence lets time pass, too.
	lookEvery = 200 * time.Millisecond

	// answerWithin is how long a manager may take to list all objects again.
	answerWithin = 15 * time.Second
)

// Wait waits for services of a swarm that runs.
type Wait struct {
	Gate    *converge.Gate
	Socket  string
	Options converge.Options
	Log     *zap.Logger
	Show    io.Writer // the terminal to show progress on; nil: none
	listed  bool      // all initial objects have arrived
}

// Run follows the swarm until the gate decides. An end by ctx is a decision.
func (l *Wait) Run(ctx context.Context) error {
	source, err := swarm.Open(ctx, swarm.Options{Socket: l.Socket, Log: l.Log})
	if ctx.Err() != nil {
		l.Gate.Interrupt()
		return nil
	}
	if err != nil {
		return err
	}
	running, stop := context.WithCancel(ctx)
	batches, taken, ended, done := make(chan []byte), make(chan struct{}), make(chan error, 1), make(chan struct{})
	defer func() {
		stop()
		<-done // it may still log
	}()
	go func() {
		defer close(done)
		ended <- source.Run(running, func(b swarm.Batch) error {
			select {
			case batches <- b.Lines:
				<-taken // they live until this returns
				return nil
			case <-running.Done():
				return nil
			}
		})
	}()
	clock := time.NewTicker(lookEvery)
	defer clock.Stop()
	lines := swarm.NewEvents(l.Socket)
	l.push(lines, source.Meta())
	line := console.NewLine(l.Show)
	defer line.Show("")
	for {
		select {
		case text := <-batches:
			l.push(lines, text)
			taken <- struct{}{}
			if !l.listed && l.Gate.Result() == nil {
				l.listed = true
				l.Gate.Listed()
			}
		case <-clock.C:
			l.Gate.Advance(time.Now())
		case err := <-ended:
			if ctx.Err() == nil {
				return err
			}
		case <-ctx.Done():
			l.Gate.Interrupt()
		}
		if l.Gate.Result() != nil && l.confirmed(ctx) {
			return nil
		}
		line.Show(status(l.Gate))
	}
}

// push gives the gate whole transactions. What it cannot use is its decision.
func (l *Wait) push(lines *swarm.Events, text []byte) {
	events, err := lines.Decode(bytes.Clone(text))
	if err != nil {
		l.Gate.Fail(err)
		return
	}
	if l.Gate.Push(events) == nil {
		l.Gate.Flush() // its error is a decision
	}
}

// confirmed looks once more, over a new connection, before silence is taken
// for news: a manager that is away is silent, too.
func (l *Wait) confirmed(ctx context.Context) bool {
	result := l.Gate.Result()
	if !bySilence(result) {
		return true
	}
	holds, err := l.lookAgain(ctx)
	switch {
	case ctx.Err() != nil:
		l.Gate.Restart(time.Now())
		l.Gate.Interrupt()
		return true
	case result.Verdict == converge.NotConverged && err != nil:
		l.Gate.Unreachable(fmt.Sprintf("%s; but the manager does not report the current state: %v", result.Reason, err))
		return true
	case result.Cause == converge.CauseTimeout, holds == (result.Verdict == converge.Converged) && err == nil:
		return true
	}
	if err != nil {
		l.Log.Warn("the services look converged, but the manager does not confirm it; the wait continues", zap.Error(err))
	}
	l.Gate.Restart(time.Now())
	return false
}

// bySilence reports whether it is time alone that decided.
func bySilence(r *converge.Result) bool {
	switch r.Cause {
	case "", converge.CauseTimeout, converge.CauseNoNode, converge.CausePort, converge.CauseGivenUp:
		return true
	}
	return false
}

// errSeen ends a look.
var errSeen = errors.New("seen")

// lookAgain reports whether the services have converged by what the manager
// lists now.
func (l *Wait) lookAgain(ctx context.Context) (holds bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	source, err := swarm.Open(ctx, swarm.Options{Socket: l.Socket})
	if err != nil {
		return false, err
	}
	options := l.Options
	options.Since = time.Now()
	gate, err := converge.New(options)
	if err != nil {
		return false, err
	}
	again := &Wait{Gate: gate, Socket: l.Socket}
	lines := swarm.NewEvents(l.Socket)
	again.push(lines, source.Meta())
	err = source.Run(ctx, func(b swarm.Batch) error {
		again.push(lines, b.Lines)
		return errSeen
	})
	if errors.Is(err, errSeen) {
		return gate.Holds(), nil
	}
	return false, errors.Join(err, ctx.Err())
}
