package command

import (
	"fmt"
	"strings"

	"tracecheck/ingest/kafka"
	"tracecheck/monitor"
	"tracecheck/monitor/sources"
	"tracecheck/monitor/sources/kafkasource"
)

// source is what the settings say is to be read.
func (s *monitorSettings) source(a *assembled) (monitor.Source, error) {
	switch {
	case s.kafka != nil:
		return s.kafkaSource(a)
	case s.socket != "":
		return sources.OpenSwarm(s.socket, s.stream, a.log), nil
	}
	return s.files(a)
}

// readAhead is how many bytes are asked for at once, of all partitions: what
// becomes of them, decompressed, decoded and waiting to be judged, takes some fifty
// times as much memory at most.
const readAhead = 4 << 20

func (s *monitorSettings) kafkaSource(a *assembled) (monitor.Source, error) {
	options := *s.kafka
	options.Budget = readAhead
	source, err := kafkasource.Open(kafkasource.Options{
		Kafka: options, Group: kafka.Group{ID: s.group}, Start: kafkasource.Start{Offset: s.from.Offset, Time: s.from.Time},
	})
	if err != nil {
		return nil, err
	}
	a.closers = append(a.closers, func() error { source.Close(); return nil })
	return source, nil
}

func (s *monitorSettings) files(a *assembled) (monitor.Source, error) {
	opts := sources.FileOptions{MaxLine: s.maxLine, Log: a.log}
	if s.rules == nil {
		return sources.OpenFiles(s.follow, opts)
	}
	m := &mapped{rules: s.rules, log: a.log}
	opts.Lines, opts.Read = m.decoder, m.read
	files, err := sources.OpenFiles(s.follow, opts)
	if err != nil {
		return nil, err
	}
	m.files = files
	return m, nil
}

// reads says what the source is.
func (s *monitorSettings) reads() string {
	switch {
	case s.kafka != nil && s.group != "":
		return fmt.Sprintf("Kafka %s, as the group %s", strings.Join(s.kafka.Topics, ", "), s.group)
	case s.kafka != nil:
		return "Kafka " + strings.Join(s.kafka.Topics, ", ")
	case s.socket != "":
		return "the swarm at " + s.socket
	}
	return strings.Join(s.follow, ", ")
}
