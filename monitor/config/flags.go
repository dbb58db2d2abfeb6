// Package config reads a monitor's configuration: flags, and a file with the flags as keys.
// It parses both, checks the combination, and prints the result. It opens no connection.
package config

import (
	"flag"
	"slices"

	"github.com/urfave/cli/v2"

	"tracecheck/ingest"
	"tracecheck/ingest/kafka/kafkaflags"
	"tracecheck/ingest/swarm"
	"tracecheck/internal/cmdline"
	"tracecheck/internal/console"
	"tracecheck/internal/flagvalue"
	"tracecheck/tlaplus/moduleflags"
	"tracecheck/validators"
	"tracecheck/validators/judgeflags"
)

// Flags has the values of the monitor's flags.
type Flags struct {
	judging judgeflags.Flags
	kafka   kafkaflags.Flags
	module  moduleflags.Flags

	group  string
	follow flagvalue.Repeated
	rules  string
	socket string
	stream string

	checkpoint      string
	checkpointTopic string
	noCheckpoint    bool
	checkpointEvery flagvalue.Duration
	StartOver       bool

	deadLetters     string
	deadLetterTopic string

	alerts         string
	webhooks       flagvalue.Repeated
	webhookToken   string
	webhookCA      string
	webhookResolve flagvalue.Duration
	webhookLabels  flagvalue.Labels
	alertTopic     string
	maxPending     flagvalue.Number
	publicURL      string

	listen       string
	ListenRemote bool
	listenHosts  flagvalue.Words
	webConfig    string

	config    string
	dryRun    bool
	verbose   bool
	logFormat flagvalue.Choice
	duration  flagvalue.Duration

	List    []cli.Flag // all flags, which set sets
	set     *flag.FlagSet
	origins map[string]origin // by name, for each flag that was set
}

// NewFlags returns the flags with their defaults. all are the specs that --spec may name.
func NewFlags(all []*validators.Spec) *Flags {
	m := &Flags{
		judging:         judgeflags.New(all),
		kafka:           kafkaflags.New(),
		checkpointEvery: flagvalue.Duration(defaultCheckpointEvery),
		webhookResolve:  flagvalue.Duration(defaultWebhookResolve),
		webhookLabels:   flagvalue.Labels{},
		maxPending:      flagvalue.Number{Value: defaultMaxPending, Least: 1},
		alerts:          "-",
		listen:          DefaultListen,
		logFormat:       flagvalue.Choice{Value: console.LogText, Allowed: []string{console.LogText, console.LogJSON}},
		origins:         map[string]origin{},
	}
	m.judging.MaxLine = ingest.DefaultMaxLine
	m.kafka.Timeout, m.kafka.Patience = 0, 0 // no limit
	m.judging.Budget.Value = validators.DefaultBudget
	m.judging.Deadline.Word = flagvalue.Prompt
	m.List = m.flags()
	m.set = cmdline.FlagSet(m.List)
	return m
}

func (m *Flags) flags() []cli.Flag {
	return slices.Concat(m.sourceFlags(), m.module.OfBind("module"), m.judgingFlags(), m.checkpointFlags(), m.alertFlags(), m.runFlags())
}

func (m *Flags) sourceFlags() []cli.Flag {
	k := &m.kafka
	return slices.Concat([]cli.Flag{
		&cli.GenericFlag{Name: "kafka", Value: &k.Brokers, Usage: "judge topics of the Kafka cluster with the broker `HOST:PORT` (repeatable, or separated by commas)"},
		&cli.GenericFlag{Name: "topic", Value: &k.Topics, Usage: "the `NAME` of a topic to judge (repeatable, or separated by commas)"},
		&cli.StringFlag{Name: "group", Destination: &m.group, Usage: "share the partitions with the other monitors of the consumer group `NAME`", DefaultText: "judge all of them"},
		&cli.GenericFlag{Name: "from", Value: &k.From, Usage: "begin each partition that has no checkpoint at `earliest|OFFSET|TIME`, where TIME is in RFC 3339"},
	}, k.Access(), []cli.Flag{
		&cli.GenericFlag{Name: "follow", Value: &m.follow, Usage: "judge `FILE` from its start, as it grows and is rotated (repeatable)"},
		&cli.StringFlag{Name: "map", Destination: &m.rules, Usage: "the followed files are logs in another format; `FILE` has rules that turn their lines into events, or names built-in rules (tracecheck map --list)", DefaultText: "they are traces"},
		&cli.StringFlag{Name: "swarm", Destination: &m.socket, Usage: "judge the live swarm behind a manager's control `SOCKET`, such as " + swarm.DefaultSocket},
		&cli.StringFlag{Name: "stream", Destination: &m.stream, Usage: "the `NAME` of the swarm's stream"},
	})
}

// judgingFlags returns the flags that have the same meaning in validate.
func (m *Flags) judgingFlags() []cli.Flag {
	list := m.judging.Named("spec", "steps", "profile", "constant", "attach", "baseline", "deadline", "remember", "max-line", "budget")
	if spec, ok := list[0].(*cli.GenericFlag); ok { // a stream has no end that could decide
		spec.DefaultText = "the trace's meta, or each spec that alone reads a kind of the stream"
	}
	return list
}

func (m *Flags) checkpointFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "checkpoint", Destination: &m.checkpoint, Usage: "store checkpoints in `FILE`, and resume from them after a restart"},
		&cli.StringFlag{Name: "checkpoint-topic", Destination: &m.checkpointTopic, Usage: "store checkpoints in the compacted Kafka topic `NAME`, which the monitors of a group share"},
		&cli.BoolFlag{Name: "no-checkpoint", Destination: &m.noCheckpoint, Usage: "store no checkpoints: after a restart, all events are judged again", DisableDefaultText: true},
		&cli.GenericFlag{Name: "checkpoint-every", Value: &m.checkpointEvery, Usage: "write a checkpoint every `DURATION`"},
		&cli.BoolFlag{Name: "start-over", Destination: &m.StartOver, Usage: "discard the checkpoints at the start", DisableDefaultText: true},
		&cli.StringFlag{Name: "dead-letters", Destination: &m.deadLetters, Usage: "append malformed records to `FILE`, as JSON lines", DefaultText: "they are only counted"},
		&cli.StringFlag{Name: "dead-letter-topic", Destination: &m.deadLetterTopic, Usage: "send malformed records to the Kafka topic `NAME`", DefaultText: "they are only counted"},
	}
}

func (m *Flags) alertFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "alerts", Destination: &m.alerts, Value: m.alerts, Usage: "append alerts to `FILE`, as JSON lines; - is standard output (readable lines on a terminal); none writes no alerts"},
		&cli.GenericFlag{Name: "webhook", Value: &m.webhooks, Usage: "post alerts to `URL`, in the format of Alertmanager (repeatable)", DefaultText: "none"},
		&cli.StringFlag{Name: "webhook-token-file", Destination: &m.webhookToken, Usage: "send the bearer token in `FILE` to the webhooks", DefaultText: "none"},
		&cli.StringFlag{Name: "webhook-ca", Destination: &m.webhookCA, Usage: "for the webhooks, trust the authorities in the PEM `FILE`", DefaultText: "the system's"},
		&cli.GenericFlag{Name: "webhook-resolve", Value: &m.webhookResolve, Usage: "let a webhook's alert end `DURATION` after it was posted"},
		&cli.GenericFlag{Name: "webhook-label", Value: m.webhookLabels, Usage: "add the label `NAME=VALUE` to a webhook's alerts (repeatable); severity replaces the default one"},
		&cli.StringFlag{Name: "alert-topic", Destination: &m.alertTopic, Usage: "send alerts to the Kafka topic `NAME`", DefaultText: "none"},
		&cli.GenericFlag{Name: "max-pending", Value: &m.maxPending, Usage: "stop judging while `N` alerts are pending"},
		&cli.StringFlag{Name: "public-url", Destination: &m.publicURL, Usage: "link alerts to the web page at `URL`, the address at which people reach it", DefaultText: "no links"},
	}
}

func (m *Flags) runFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "listen", Destination: &m.listen, Value: m.listen, Usage: "serve the web page, the metrics and the health at `HOST:PORT`; none: serve nothing"},
		&cli.BoolFlag{Name: "listen-remote", Destination: &m.ListenRemote, Usage: "allow a --listen address that other machines can reach; only --web-config adds a login", DisableDefaultText: true},
		&cli.GenericFlag{Name: "listen-host", Value: &m.listenHosts, Usage: "answer requests for the host `NAME`, such as a proxy's (repeatable, or separated by commas)", DefaultText: "addresses and localhost; with --listen-remote, any"},
		&cli.StringFlag{Name: "web-config", Destination: &m.webConfig, Usage: "serve the page with the certificate and the users of the YAML `FILE`, in the format of Prometheus' web.config", DefaultText: "plain HTTP, no login"},
		&cli.StringFlag{Name: "config", Destination: &m.config, Usage: "read the YAML `FILE`, which has these flags as keys; the command line overrides it", DefaultText: "none"},
		&cli.BoolFlag{Name: "dry-run", Destination: &m.dryRun, Usage: "check everything that needs no connection, print the resulting configuration, and stop", DisableDefaultText: true},
		&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Destination: &m.verbose, Usage: "log each judged step, with the actions that explain it; only one processor then judges a part", DisableDefaultText: true},
		&cli.GenericFlag{Name: "log-format", Value: &m.logFormat, Usage: "the format of the log on stderr: `text|json`"},
		flagvalue.DurationFlag(&m.duration),
	}
}
