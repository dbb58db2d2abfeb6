package command

import (
	"errors"
	"fmt"

	"go.uber.org/zap"

	"tracecheck/ingest/input"
	"tracecheck/internal/console"
	"tracecheck/validators"
)

// source is nil where files are judged.
func (s *settings) source(env console.Environment, names []string, log *zap.Logger) (input.Source, error) {
	if len(s.kafka.Brokers.Values) > 0 {
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

// kafkaInput checks how the flags go together.
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

// live checks how the flags go together; nil means that files are judged.
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

// logViolation logs at once what was found in a live input: the report comes at its end.
func logViolation(log *zap.Logger, v *validators.Violation) {
	fields := []zap.Field{zap.String("spec", v.Spec), zap.String("time", v.Time), zap.String("what", v.Message)}
	if v.Seq != nil {
		fields = append(fields, zap.Int64("seq", *v.Seq))
	}
	log.Warn(string(v.Kind)+" "+v.Rule, fields...)
}
