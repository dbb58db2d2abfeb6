package config

import (
	"cmp"
	"fmt"
	"net/url"
	"time"

	"go.uber.org/zap"

	"tracecheck/ingest"
	"tracecheck/ingest/kafka"
	"tracecheck/ingest/mapping"
	"tracecheck/internal/console"
	"tracecheck/internal/flagvalue"
	"tracecheck/monitor/alert"
	"tracecheck/monitor/web"
	"tracecheck/validators"
	"tracecheck/validators/judgeflags"
)

// The defaults.
const (
	defaultCheckpointEvery = 10 * time.Second
	defaultWebhookResolve  = time.Hour
	defaultMaxPending      = 10_000
	DefaultListen          = web.DefaultAddress
)

// Settings is a checked configuration. Only errors that need a connection to detect are
// left.
type Settings struct {
	Kafka  *kafka.Options    // one of kafka, follow and socket is set
	Group  string            // "": all partitions are this monitor's
	From   flagvalue.StartAt // where to begin without a checkpoint
	Follow []string
	Rules  *mapping.Rules            // for follow; nil: the files are traces
	Lines  func() ingest.LineDecoder // with a bind file: a decoder for the lines; else nil
	Socket string
	Stream string // the name of the swarm's stream

	Judging validators.Options
	MaxLine int // bytes

	Checkpoint      string // one of these two, or neither
	CheckpointTopic string
	CheckpointEvery time.Duration
	StartOver       bool
	DeadLetters     string
	DeadLetterTopic string

	Alerts     string                 // a file, "-", or "" for nowhere
	Webhooks   []alert.WebhookOptions // their URLs may have passwords
	AlertTopic string
	MaxPending int
	publicURL  string // "": no links

	Listen    string   // "": nothing is served
	Hosts     []string // the names that requests may use for the page; none: any, if other machines can reach it
	Access    web.Access
	Duration  flagvalue.Duration
	Verbose   bool
	LogFormat string
	DryRun    bool

	Given *Flags
}

// settings checks the combination of the flags, and the things that they name.
func (m *Flags) settings(env console.Environment, all []*validators.Spec) (*Settings, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	log := console.NewServiceLogger(env.Stderr, m.verbose, m.logFormat.Value)
	all, err := m.module.Bound(all)
	if err != nil {
		return nil, m.Fault("bind", "%w", err)
	}
	order := m.module.StreamOrder()
	if order != nil && m.module.With.Objects() {
		return nil, m.Fault("bind", "%s: order: the monitor judges lines in the trace format in the order in which they come: write them in that of their clocks, or judge files with `tracecheck validate --bind`", m.module.Bind)
	}
	s := &Settings{
		Group: m.group, From: m.kafka.From, Follow: m.follow, Socket: m.socket, Stream: m.stream,
		Lines: m.module.Lines(), Judging: m.judging.Options(all), MaxLine: int(m.judging.MaxLine),
		Checkpoint: m.checkpoint, CheckpointTopic: m.checkpointTopic,
		CheckpointEvery: time.Duration(m.checkpointEvery), StartOver: m.StartOver,
		DeadLetters: m.deadLetters, DeadLetterTopic: m.deadLetterTopic,
		Alerts:     m.alerts,
		Webhooks:   m.webhookOptions(),
		AlertTopic: m.alertTopic, MaxPending: m.maxPending.Value, publicURL: m.publicURL,
		Listen: m.listen, Duration: m.duration, Verbose: m.verbose, LogFormat: m.logFormat.Value, DryRun: m.dryRun,
		Given: m,
	}
	s.Judging.Order = order
	if s.Alerts == flagvalue.None {
		s.Alerts = ""
	}
	if s.Listen == flagvalue.None {
		s.Listen = ""
	}
	if s.Hosts = m.listenHosts.Values; len(s.Hosts) > 0 || !m.ListenRemote {
		s.Hosts = append(s.Hosts, hostOf(s.publicURL)...)
	}
	if s.Access, err = web.ReadAccess(m.webConfig); err != nil {
		return nil, m.Fault("web-config", "%w", err)
	}
	m.warn(log)
	m.warnOfAccess(s.Access, log)
	known, err := m.judging.Known()
	if err != nil {
		return nil, m.Fault("baseline", "%w", err)
	}
	s.Judging.Known = known.Fingerprints()
	s.Judging.KeepGoing, s.Judging.Recover = true, true
	if m.verbose {
		s.Judging.OnStep = console.LogStep(log)
	}
	if err := m.checkJudging(&s.Judging); err != nil {
		return nil, err
	}
	if err := m.checkFiles(); err != nil {
		return nil, err
	}
	if m.rules != "" {
		if s.Rules, err = judgeflags.Rules(m.rules, all); err != nil {
			return nil, err
		}
	}
	if len(m.kafka.Brokers.Values) > 0 {
		if s.Kafka, err = m.kafkaOptions(env, log); err != nil {
			return nil, err
		}
	}
	m.warnOfSpecs(s, log)
	return s, nil
}

// warn logs settings that are valid but probably not intended.
func (m *Flags) warn(log *zap.Logger) {
	if from := &m.kafka.From; *from != (flagvalue.StartAt{}) && !m.judging.Attach {
		log.Warn("if judging begins in the middle of a stream, each event about an earlier object is a violation: set --attach", zap.Stringer("from", from))
	}
	for _, text := range m.webhooks {
		u, err := url.Parse(text)
		if err != nil {
			continue
		}
		if u.Scheme == "http" && !isLoopback(u.Hostname()) && (m.webhookToken != "" || u.User != nil) {
			log.Warn("the webhook's secret crosses the network in clear text: use https", zap.String("webhook", u.Host))
		}
		if u.User != nil && m.origins["webhook"].file == "" {
			log.Warn("all users of this machine can read the webhook's login on the command line: put the webhook into the file of --config, which they cannot read, or use --webhook-token-file",
				zap.String("webhook", u.Host))
		}
	}
}

// warnOfSpecs logs that a stream may produce no alerts. The end of a trace decides which spec
// judges it, if no kind does. A stream has no end.
func (m *Flags) warnOfSpecs(s *Settings, log *zap.Logger) {
	named := len(s.Judging.Select) > 0 || len(s.Judging.Specs) == 1 || m.socket != ""
	if s.Rules != nil && !named {
		meta, _ := s.Rules.Meta()
		named = len(meta.Specs) > 0
	}
	if !named {
		log.Warn("without --spec, a stream that has no meta line, and only nodes and tasks, produces no alerts: set --spec")
	}
}

// warnOfAccess logs settings that make the page less protected than it seems.
func (m *Flags) warnOfAccess(a web.Access, log *zap.Logger) {
	switch {
	case a.File == "":
	case !a.TLS && !a.Login:
		log.Warn("the page has neither TLS nor a login: --web-config names no certificate and no user", zap.String("web-config", a.File))
	case !a.TLS && m.ListenRemote:
		log.Warn("the page's passwords cross the network in clear text: set tls_server_config in --web-config", zap.String("web-config", a.File))
	}
}

// kafkaOptions also reads the files that the options name.
func (m *Flags) kafkaOptions(env console.Environment, log *zap.Logger) (*kafka.Options, error) {
	o, err := m.kafka.Options(env.Getenv, log)
	if err != nil {
		return nil, err
	}
	o.MaxLine, o.Lines = int(m.judging.MaxLine), m.module.Lines()
	o.Timeout = cmp.Or(o.Timeout, kafka.Forever)
	source, err := kafka.Open(o) // it does not connect
	if err != nil {
		return nil, err
	}
	source.Close()
	for _, t := range m.written() {
		if err := kafka.Check(o.Brokers, []string{t.topic}); err != nil {
			return nil, m.Fault(t.flag, "%w", err)
		}
	}
	return &o, nil
}

// checkJudging checks the flags for judging. It tries each alone to find a wrong one.
func (m *Flags) checkJudging(o *validators.Options) error {
	for _, try := range []struct {
		flag string
		with validators.Options
	}{
		{"spec", validators.Options{Specs: o.Specs, Select: o.Select}},
		{"profile", validators.Options{Specs: o.Specs, Profile: o.Profile}},
		{"constant", *o},
	} {
		if _, err := validators.NewRunner(try.with); err != nil {
			return m.Fault(try.flag, "%w", err)
		}
	}
	return nil
}

// Fault is an error about a flag. It has the line of the file if the flag is set there.
func (m *Flags) Fault(flag, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	if o := m.origins[flag]; o.file != "" {
		return fmt.Errorf("%s: %s: %w", o, flag, err)
	}
	return fmt.Errorf("--%s: %w", flag, err)
}
