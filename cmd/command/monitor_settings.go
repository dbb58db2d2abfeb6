package command

import (
	"cmp"
	"fmt"
	"net/url"
	"time"

	"go.uber.org/zap"

	"tracecheck/ingest/kafka"
	"tracecheck/ingest/mapping"
	"tracecheck/internal/console"
	"tracecheck/internal/flagvalue"
	"tracecheck/monitor/alert"
	"tracecheck/monitor/web"
	"tracecheck/validators"
)

// What holds where nothing is said.
const (
	defaultCheckpointEvery = 10 * time.Second
	defaultWebhookResolve  = time.Hour
	defaultMaxPending      = 10_000
	defaultListen          = web.DefaultAddress
)

// monitorSettings are what a monitor is told, checked: what fails from here on
// takes a connection to see.
type monitorSettings struct {
	kafka  *kafka.Options    // one of kafka, follow and socket is set
	group  string            // "": all partitions are this monitor's
	from   flagvalue.StartAt // where there is no checkpoint
	follow []string
	rules  *mapping.Rules // for follow; nil: the files are traces
	socket string
	stream string // the swarm's

	judging validators.Options
	maxLine int // bytes

	checkpoint      string // one of these two, or neither
	checkpointTopic string
	checkpointEvery time.Duration
	startOver       bool
	deadLetters     string
	deadLetterTopic string

	alerts     string                 // a file, "-", or "" for nowhere
	webhooks   []alert.WebhookOptions // their URLs may have passwords in them
	alertTopic string
	maxPending int
	publicURL  string // "": no links

	listen    string   // "": nothing is served
	hosts     []string // the names that requests may have for it; none: any, where other machines reach it
	access    web.Access
	duration  flagvalue.Duration
	verbose   bool
	logFormat string
	dryRun    bool

	given *monitorFlags
}

// settings checks how the flags go together, and what they name.
func (m *monitorFlags) settings(env environment, all []*validators.Spec) (*monitorSettings, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	log := console.NewServiceLogger(env.stderr, m.verbose, m.logFormat.Value)
	s := &monitorSettings{
		group: m.group, from: m.judging.kafka.from, follow: m.follow, socket: m.socket, stream: m.stream,
		judging: m.judging.options(all, log), maxLine: int(m.judging.maxLine),
		checkpoint: m.checkpoint, checkpointTopic: m.checkpointTopic,
		checkpointEvery: time.Duration(m.checkpointEvery), startOver: m.startOver,
		deadLetters: m.deadLetters, deadLetterTopic: m.deadLetterTopic,
		alerts:     m.alerts,
		webhooks:   m.webhookOptions(),
		alertTopic: m.alertTopic, maxPending: m.maxPending.Value, publicURL: m.publicURL,
		listen: m.listen, duration: m.duration, verbose: m.verbose, logFormat: m.logFormat.Value, dryRun: m.dryRun,
		given: m,
	}
	if s.alerts == flagvalue.None {
		s.alerts = ""
	}
	if s.listen == flagvalue.None {
		s.listen = ""
	}
	if s.hosts = m.listenHosts.Values; len(s.hosts) > 0 || !m.listenRemote {
		s.hosts = append(s.hosts, hostOf(s.publicURL)...)
	}
	var err error
	if s.access, err = web.ReadAccess(m.webConfig); err != nil {
		return nil, m.fault("web-config", "%w", err)
	}
	m.warn(log)
	m.warnOfAccess(s.access, log)
	s.judging.KeepGoing, s.judging.Recover = true, true
	if m.verbose {
		s.judging.OnStep = logStep(log)
	}
	if err := m.checkJudging(&s.judging); err != nil {
		return nil, err
	}
	if err := m.checkFiles(); err != nil {
		return nil, err
	}
	if m.rules != "" {
		if s.rules, err = loadRules(m.rules, all); err != nil {
			return nil, err
		}
	}
	if len(m.judging.kafka.brokers.Values) > 0 {
		s.kafka, err = m.kafkaOptions(env, log)
	}
	return s, err
}

// warn is of what works, but perhaps not as it is meant.
func (m *monitorFlags) warn(log *zap.Logger) {
	if from := &m.judging.kafka.from; *from != (flagvalue.StartAt{}) && !m.judging.attach {
		log.Warn("where judging begins in the middle of a stream, each event about what stood before is a violation: --attach takes it as it shows", zap.Stringer("from", from))
	}
	for _, text := range m.webhooks {
		u, err := url.Parse(text)
		if err != nil {
			continue
		}
		if u.Scheme == "http" && !isLoopback(u.Hostname()) && (m.webhookToken != "" || u.User != nil) {
			log.Warn("the webhook's secret goes over the network as it is: https would hide it", zap.String("webhook", u.Host))
		}
		if u.User != nil && m.origins["webhook"].file == "" {
			log.Warn("all users of this machine can read the webhook's login on the command line: put the webhook into the file of --config, which they cannot read, or use --webhook-token-file",
				zap.String("webhook", u.Host))
		}
	}
}

// warnOfAccess is of a page that is less closed than it looks.
func (m *monitorFlags) warnOfAccess(a web.Access, log *zap.Logger) {
	switch {
	case a.File == "":
	case !a.TLS && !a.Login:
		log.Warn("the page has neither TLS nor a login: --web-config names no certificate and no user", zap.String("web-config", a.File))
	case !a.TLS && m.listenRemote:
		log.Warn("the passwords of the page's readers go over the network as they are: tls_server_config in --web-config would hide them", zap.String("web-config", a.File))
	}
}

// kafkaOptions also reads what the options name.
func (m *monitorFlags) kafkaOptions(env environment, log *zap.Logger) (*kafka.Options, error) {
	o, err := m.judging.kafka.options(env, log)
	if err != nil {
		return nil, err
	}
	o.MaxLine = int(m.judging.maxLine)
	o.Timeout = cmp.Or(o.Timeout, kafka.Forever)
	source, err := kafka.Open(o) // connects to nobody
	if err != nil {
		return nil, err
	}
	source.Close()
	for _, t := range m.written() {
		if err := kafka.Check(o.Brokers, []string{t.topic}); err != nil {
			return nil, m.fault(t.flag, "%w", err)
		}
	}
	return &o, nil
}

// checkJudging finds the flag at fault by trying each alone.
func (m *monitorFlags) checkJudging(o *validators.Options) error {
	for _, try := range []struct {
		flag string
		with validators.Options
	}{
		{"spec", validators.Options{Specs: o.Specs, Select: o.Select}},
		{"profile", validators.Options{Specs: o.Specs, Profile: o.Profile}},
		{"constant", *o},
	} {
		if _, err := validators.NewRunner(try.with); err != nil {
			return m.fault(try.flag, "%w", err)
		}
	}
	return nil
}

// fault is about a flag: where it comes from the file, its place is told.
func (m *monitorFlags) fault(flag, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	if o := m.origins[flag]; o.file != "" {
		return fmt.Errorf("%s: %s: %w", o, flag, err)
	}
	return fmt.Errorf("--%s: %w", flag, err)
}
