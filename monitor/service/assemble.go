package service

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"tracecheck/ingest"
	"tracecheck/internal/console"
	"tracecheck/monitor"
	"tracecheck/monitor/alert"
	"tracecheck/monitor/board"
	"tracecheck/monitor/checkpoint"
	"tracecheck/monitor/checkpoint/local"
	checkpointtopic "tracecheck/monitor/checkpoint/topic"
	"tracecheck/monitor/deadletter"
	"tracecheck/monitor/sources/kafkasource"
	"tracecheck/monitor/topic"
	"tracecheck/report"
	"tracecheck/trace"
	"tracecheck/validators"
)

// assembled is a monitor with its resources.
type assembled struct {
	monitor *monitor.Monitor
	outbox  *alert.Queue
	closers []func() error
	log     *zap.Logger
}

// close releases the resources, after the monitor has ended.
func (a *assembled) close() {
	if a.outbox != nil {
		ctx, cancel := context.WithTimeout(context.Background(), endTime)
		defer cancel()
		if err := a.outbox.Close(ctx); err != nil {
			a.log.Warn("some alerts were not delivered; the next run sends them", zap.Error(err))
		}
	}
	for i := len(a.closers) - 1; i >= 0; i-- {
		if err := a.closers[i](); err != nil {
			a.log.Warn("cannot close", zap.Error(err))
		}
	}
}

// assemble makes the monitor that the settings describe.
func (s *service) assemble(ctx context.Context, env console.Environment, log *zap.Logger) (*assembled, error) {
	a := &assembled{log: log}
	m, err := s.parts(ctx, env, a)
	if err != nil {
		a.close()
		return nil, err
	}
	a.monitor = m
	return a, nil
}

func (s *service) parts(ctx context.Context, env console.Environment, a *assembled) (*monitor.Monitor, error) {
	source, err := s.source(a)
	if err != nil {
		return nil, err
	}
	store, err := s.store(ctx, source, a)
	if err != nil {
		return nil, err
	}
	receivers, err := s.receivers(env, a.log)
	if err != nil {
		return nil, err
	}
	if a.outbox, err = alert.NewOutbox(receivers, alert.Options{MaxPending: s.MaxPending, Log: a.log}); err != nil {
		return nil, err
	}
	deadLetters, err := s.deadLetters(env, a)
	if err != nil {
		return nil, err
	}
	return monitor.New(monitor.Options{
		Source: source, Judge: s.Judging, Outbox: a.outbox, Store: store, Every: s.CheckpointEvery, StartOver: s.StartOver,
		DeadLetters: deadLetters, Receivers: func() []board.Receiver { return shownReceivers(a.outbox) },
		Version: s.version, Reads: s.reads(), Log: a.log, GCPercent: s.gcPercent,
	})
}

// store returns nil if there are no checkpoints.
func (s *service) store(ctx context.Context, source monitor.Source, a *assembled) (checkpoint.Store, error) {
	var store checkpoint.Store
	var err error
	switch {
	case s.Checkpoint != "":
		store, err = local.Open(s.Checkpoint, local.Options{StartOver: s.StartOver, Log: a.log})
	case s.CheckpointTopic != "":
		store, err = s.topicStore(ctx, source.(*kafkasource.Source)) // the check of the flags requires --kafka
	default:
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	a.closers = append(a.closers, store.Close)
	return store, nil
}

// topicStore opens the store in a topic. It waits for brokers and topics.
func (s *service) topicStore(ctx context.Context, source *kafkasource.Source) (checkpoint.Store, error) {
	partitions, err := source.Partitions(ctx)
	if err != nil {
		return nil, err
	}
	return checkpointtopic.Open(ctx, checkpointtopic.Options{Kafka: *s.Kafka, Topic: s.CheckpointTopic, Partitions: partitions})
}

// checkpointInterval returns 0 if there are no checkpoints.
func (s *service) checkpointInterval() time.Duration {
	if s.Checkpoint == "" && s.CheckpointTopic == "" {
		return 0
	}
	return s.CheckpointEvery
}

// judgingSpecs returns the specs that may judge.
func (s *service) judgingSpecs() []*validators.Spec {
	if len(s.Judging.Select) == 0 {
		return s.Judging.Specs
	}
	return slices.DeleteFunc(slices.Clone(s.Judging.Specs), func(spec *validators.Spec) bool {
		return !slices.Contains(s.Judging.Select, spec.Name)
	})
}

func (s *service) receivers(env console.Environment, log *zap.Logger) (list []alert.Receiver, err error) {
	add := func(r alert.Receiver, e error) {
		if e != nil {
			err = errors.Join(err, e)
			return
		}
		list = append(list, r)
	}
	if s.Alerts != "" {
		f, e := alert.NewFile(s.Alerts, report.Visible(env.Stdout), console.IsTerminal(env.Stdout))
		add(f, e)
	}
	for _, o := range s.Webhooks {
		w, e := alert.NewWebhook(o)
		add(w, e)
	}
	if s.AlertTopic != "" {
		t, e := alert.NewTopic("", s.topicOptions(s.AlertTopic, log))
		add(t, e)
	}
	if err != nil {
		for _, r := range list {
			r.Close() // nothing was delivered
		}
		return nil, err
	}
	return list, nil
}

func (s *service) topicOptions(name string, log *zap.Logger) topic.Options {
	return topic.Options{Brokers: s.Kafka.Brokers, Topic: name, Security: s.Kafka.Security, Log: log}
}

func shownReceivers(q *alert.Queue) []board.Receiver {
	var list []board.Receiver
	for _, r := range q.Stats() {
		list = append(list, board.Receiver{Name: r.Name, Pending: r.Pending, Delivered: r.Delivered, Failures: r.Failures, LastError: r.LastError})
	}
	return list
}

// deadLetters returns nil if malformed records are only counted.
func (s *service) deadLetters(env console.Environment, a *assembled) (func(context.Context, string, []ingest.Malformed) error, error) {
	var sinks []deadletter.Sink
	if s.DeadLetters != "" {
		f, err := deadletter.OpenFile(s.DeadLetters, report.Visible(env.Stdout))
		if err != nil {
			return nil, err
		}
		sinks = append(sinks, f)
	}
	if s.DeadLetterTopic != "" {
		t, err := deadletter.OpenTopic(s.topicOptions(s.DeadLetterTopic, a.log))
		if err != nil {
			return nil, err
		}
		sinks = append(sinks, t)
	}
	if len(sinks) == 0 {
		return nil, nil
	}
	for _, sink := range sinks {
		a.closers = append(a.closers, sink.Close)
	}
	var one sync.Mutex             // one part writes at a time
	begun := map[string]delivery{} // by part: the failed delivery that is retried
	return func(ctx context.Context, part string, bad []ingest.Malformed) error {
		list := make([]deadletter.Record, len(bad))
		for i := range bad {
			list[i] = letter(part, &bad[i])
		}
		one.Lock()
		defer one.Unlock()
		d := delivery{first: bad[0].Err.Pos, count: len(bad)}
		if last := begun[part]; last.first == d.first && last.count == d.count {
			d.sinks = last.sinks
		}
		for _, sink := range sinks[d.sinks:] {
			if err := sink.Write(ctx, list); err != nil {
				begun[part] = d
				return err
			}
			d.sinks++
		}
		delete(begun, part)
		return nil
	}, nil
}

// delivery is a partial delivery of dead letters. The first sinks already have them.
type delivery struct {
	first trace.Pos
	count int
	sinks int // the number of sinks that have them
}

func letter(part string, b *ingest.Malformed) deadletter.Record {
	l := deadletter.Record{Part: part, Reason: b.Err.Reason, Streams: b.Streams, Key: b.Key, Raw: b.Raw}
	if offset, ok := b.Err.Pos.Offset(); ok {
		l.Offset = &offset
	} else {
		l.Line = b.Err.Pos.Line
	}
	return l
}
