package command

import (
	"errors"
	"fmt"

	"go.uber.org/zap"

	"tracecheck/ingest/input"
	"tracecheck/internal/console"
)

var errRulesOfSwarm = errors.New("--map is for logs in files: a swarm needs no rules")

// source returns nil if files are judged.
func (s *settings) source(env console.Environment, names []string, log *zap.Logger) (input.Source, error) {
	switch kafka := len(s.kafka.Brokers.Values) > 0; {
	case s.rules != "" && s.socket != "":
		return nil, errRulesOfSwarm
	case s.rules != "" && kafka:
		return nil, errors.New("--map is for logs in files: the messages of a topic are events")
	case s.rules != "" && s.format.Value == formatITF:
		return nil, errors.New("--map is for logs, --format itf for behaviours: give one or the other")
	case kafka:
		return s.kafkaInput(env, names, log)
	}
	if flag := s.kafka.Given(); flag != "" {
		return nil, fmt.Errorf("%s is about Kafka: name its brokers with --kafka", flag)
	}
	live, err := s.live(names, log)
	if live == nil {
		return nil, err
	}
	return live, nil
}

// kafkaInput checks the combination of the flags.
func (s *settings) kafkaInput(env console.Environment, names []string, log *zap.Logger) (*input.Kafka, error) {
	k := &s.kafka
	switch {
	case len(names) > 0:
		return nil, errors.New("--kafka judges topics, not files: give one or the other")
	case s.socket != "":
		return nil, errors.New("--kafka judges topics, --swarm a live swarm: give one or the other")
	case k.UntilEnd && s.duration != 0:
		return nil, errors.New("--until-end stops at the topics' end, --duration after a time: give one or the other")
	}
	opts, err := k.Options(env.Getenv, log)
	if err != nil {
		return nil, err
	}
	opts.MaxLine, opts.Lines = int(s.MaxLine), s.module.Lines()
	return &input.Kafka{Options: opts, From: k.From, UntilEnd: k.UntilEnd, Duration: s.duration}, nil
}

// live checks the combination of the flags. It returns nil if files are judged.
func (s *settings) live(names []string, log *zap.Logger) (*input.Swarm, error) {
	switch {
	case s.socket == "" && s.duration != 0:
		return nil, errors.New("--duration is for live input: name it with --swarm or --kafka")
	case s.socket == "":
		return nil, nil
	case len(names) > 0:
		return nil, errors.New("--swarm judges a live swarm, not files: give one or the other")
	}
	return &input.Swarm{Socket: s.socket, Duration: s.duration, Log: log}, nil
}
