package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"go.uber.org/zap"

	"tracecheck/ingest/swarm"
	"tracecheck/postmortem/converge"
	"tracecheck/trace"
)

const (
	// lookEvery is how often the clock is looked at: silence lets time pass, too.
	lookEvery = 200 * time.Millisecond

	// answerWithin is how long a manager may take to say once more what stands.
	answerWithin = 15 * time.Second
)

// liveGate waits for services of a swarm that runs.
type liveGate struct {
	gate    *converge.Gate
	socket  string
	options converge.Options
	log     *zap.Logger
	show    io.Writer // the terminal to show progress on; nil: none
	listed  bool      // what stood at first has come
}

// wait follows the swarm until the gate decides. An end by ctx is a decision.
func (l *liveGate) wait(ctx context.Context) error {
	source, err := swarm.Open(ctx, swarm.Options{Socket: l.socket, Log: l.log})
	if ctx.Err() != nil {
		l.gate.Interrupt()
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
	lines := lineReader{pos: trace.Pos{File: l.socket}}
	l.push(&lines, source.Meta())
	line := newStatusLine(l.show)
	defer line.clear()
	for {
		select {
		case text := <-batches:
			l.push(&lines, text)
			taken <- struct{}{}
			if !l.listed && l.gate.Result() == nil {
				l.listed = true
				l.gate.Listed()
			}
		case <-clock.C:
			l.gate.Advance(time.Now())
		case err := <-ended:
			if ctx.Err() == nil {
				return err
			}
		case <-ctx.Done():
			l.gate.Interrupt()
		}
		if l.gate.Result() != nil && l.stands(ctx) {
			return nil
		}
		line.set(l.gate)
	}
}

// push gives the gate whole transactions. What it cannot use is its decision.
func (l *liveGate) push(lines *lineReader, text []byte) {
	events, err := lines.decode(bytes.Clone(text))
	if err != nil {
		l.gate.Fail(err)
		return
	}
	if l.gate.Push(events) == nil {
		l.gate.Flush() // its error is a decision
	}
}

// stands looks once more, over a connection of its own, before silence is taken
// for news: a manager that is away is silent, too.
func (l *liveGate) stands(ctx context.Context) bool {
	result := l.gate.Result()
	if !bySilence(result) {
		return true
	}
	holds, err := l.lookAgain(ctx)
	switch {
	case ctx.Err() != nil:
		l.gate.Restart(time.Now())
		l.gate.Interrupt()
		return true
	case result.Verdict == converge.NotConverged && err != nil:
		l.gate.Unreachable(fmt.Sprintf("%s; but the manager does not say how things stand now: %v", result.Reason, err))
		return true
	case result.Cause == converge.CauseTimeout, holds == (result.Verdict == converge.Converged) && err == nil:
		return true
	}
	if err != nil {
		l.log.Warn("the services look converged, but the manager does not confirm it; the wait goes on", zap.Error(err))
	}
	l.gate.Restart(time.Now())
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

// lookAgain says whether the services are as asked for by what the manager
// lists now.
func (l *liveGate) lookAgain(ctx context.Context) (holds bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	source, err := swarm.Open(ctx, swarm.Options{Socket: l.socket})
	if err != nil {
		return false, err
	}
	options := l.options
	options.Since = time.Now()
	gate, err := converge.New(options)
	if err != nil {
		return false, err
	}
	again := &liveGate{gate: gate, socket: l.socket}
	lines := lineReader{pos: trace.Pos{File: l.socket}}
	again.push(&lines, source.Meta())
	err = source.Run(ctx, func(b swarm.Batch) error {
		again.push(&lines, b.Lines)
		return errSeen
	})
	if errors.Is(err, errSeen) {
		return gate.Holds(), nil
	}
	return false, errors.Join(err, ctx.Err())
}
