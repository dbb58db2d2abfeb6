package service

import (
	"fmt"
	"strings"

	"tracecheck/ingest/kafka"
	"tracecheck/monitor"
	"tracecheck/monitor/sources"
	"tracecheck/monitor/sources/kafkasource"
)

// source returns the source that the settings name.
func (s *service) source(a *assembled) (monitor.Source, error) {
	switch {
	case s.Kafka != nil:
		return s.kafkaSource(a)
	case s.Socket != "":
		return sources.OpenSwarm(s.Socket, s.Stream, a.log), nil
	}
	return s.files(a)
}

// readAhead is the number of bytes to request at once, for all partitions together.
// Decompressed and decoded, they take at most some fifty times as much memory.
const readAhead = 4 << 20

func (s *service) kafkaSource(a *assembled) (monitor.Source, error) {
	options := *s.Kafka
	options.Budget = readAhead
	source, err := kafkasource.Open(kafkasource.Options{
		Kafka: options, Group: kafka.Group{ID: s.Group}, Start: kafkasource.Start{Offset: s.From.Offset, Time: s.From.Time},
	})
	if err != nil {
		return nil, err
	}
	a.closers = append(a.closers, func() error { source.Close(); return nil })
	return source, nil
}

func (s *service) files(a *assembled) (monitor.Source, error) {
	opts := sources.FileOptions{MaxLine: s.MaxLine, Log: a.log}
	if s.Rules == nil {
		opts.Lines = s.Lines
		return sources.OpenFiles(s.Follow, opts)
	}
	m := &mapped{rules: s.Rules, log: a.log}
	opts.Lines, opts.Read = m.decoder, m.read
	files, err := sources.OpenFiles(s.Follow, opts)
	if err != nil {
		return nil, err
	}
	m.files = files
	return m, nil
}

// reads describes the source.
func (s *service) reads() string {
	switch {
	case s.Kafka != nil && s.Group != "":
		return fmt.Sprintf("Kafka %s, as the group %s", strings.Join(s.Kafka.Topics, ", "), s.Group)
	case s.Kafka != nil:
		return "Kafka " + strings.Join(s.Kafka.Topics, ", ")
	case s.Socket != "":
		return "the swarm at " + s.Socket
	}
	return strings.Join(s.Follow, ", ")
}
