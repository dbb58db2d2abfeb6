// Package kafkaflags has the flags for the topics to read, and for the connection to the
// brokers.
package kafkaflags

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
	"go.uber.org/zap"

	"tracecheck/ingest/kafka"
	"tracecheck/internal/files"
	"tracecheck/internal/flagvalue"
)

// passwordVariable may have the password. There is no flag for it, since other users can
// read command lines.
const passwordVariable = "TRACECHECK_KAFKA_PASSWORD"

// Flags has the topics to judge, and the settings of the connection.
type Flags struct {
	Brokers      flagvalue.Words
	Topics       flagvalue.Words
	From         flagvalue.StartAt
	UntilEnd     bool
	tls          bool
	ca           string
	cert         string
	key          string
	mechanism    flagvalue.Choice
	user         string
	passwordFile string
	Timeout      flagvalue.Duration
	Patience     flagvalue.Duration // the default of Timeout
}

// New returns the flags with their defaults.
func New() Flags {
	return Flags{
		mechanism: flagvalue.Choice{Allowed: kafka.Mechanisms}, Timeout: flagvalue.Duration(kafka.DefaultTimeout), Patience: flagvalue.Duration(kafka.DefaultTimeout),
	}
}

// List returns the flags of validate; those to reach the brokers are among them.
func (k *Flags) List() []cli.Flag {
	return append([]cli.Flag{
		&cli.GenericFlag{Name: "kafka", Value: &k.Brokers, Usage: "judge topics of the Kafka cluster with the broker `HOST:PORT` (repeatable, or separated by commas)", DefaultText: "the files named"},
		&cli.GenericFlag{Name: "topic", Value: &k.Topics, Usage: "the `NAME` of a topic to judge (repeatable, or separated by commas)"},
		&cli.GenericFlag{Name: "from", Value: &k.From, Usage: "begin each partition at `earliest|OFFSET|TIME`, where TIME is in RFC 3339"},
		&cli.BoolFlag{Name: "until-end", Destination: &k.UntilEnd, Usage: "stop at the end that the topics have when reading begins", DisableDefaultText: true},
	}, k.Access()...)
}

// Access returns the flags of the connection.
func (k *Flags) Access() []cli.Flag {
	patience := k.Patience.String()
	if k.Patience == 0 {
		patience = "no limit"
	}
	return []cli.Flag{
		&cli.BoolFlag{Name: "kafka-tls", Destination: &k.tls, Usage: "connect with TLS; --kafka-ca, --kafka-cert and --kafka-key imply it", DisableDefaultText: true},
		&cli.StringFlag{Name: "kafka-ca", Destination: &k.ca, Usage: "trust the authorities in the PEM `FILE`", DefaultText: "the system's"},
		&cli.StringFlag{Name: "kafka-cert", Destination: &k.cert, Usage: "send the brokers the client certificate in the PEM `FILE`", DefaultText: "none"},
		&cli.StringFlag{Name: "kafka-key", Destination: &k.key, Usage: "read the key of the client certificate from the PEM `FILE`"},
		&cli.GenericFlag{Name: "kafka-sasl", Value: &k.mechanism, Usage: "the mechanism of the login: `" + strings.Join(kafka.Mechanisms, "|") + "`", DefaultText: "no login"},
		&cli.StringFlag{Name: "kafka-user", Destination: &k.user, Usage: "log in as `NAME`"},
		&cli.StringFlag{Name: "kafka-password-file", Destination: &k.passwordFile, Usage: "read the password from `FILE`", DefaultText: "the environment variable " + passwordVariable},
		&cli.GenericFlag{Name: "kafka-timeout", Value: &k.Timeout, Usage: "wait for unreachable brokers for `DURATION` at most", DefaultText: patience},
	}
}

// Given returns the name of one of the flags that is set, other than --kafka, or "".
func (k *Flags) Given() string {
	for _, f := range []struct {
		name  string
		given bool
	}{
		{"--topic", len(k.Topics.Values) > 0}, {"--from", k.From != flagvalue.StartAt{}}, {"--until-end", k.UntilEnd},
		{"--kafka-tls", k.tls}, {"--kafka-ca", k.ca != ""}, {"--kafka-cert", k.cert != ""}, {"--kafka-key", k.key != ""},
		{"--kafka-sasl", k.mechanism.Value != ""}, {"--kafka-user", k.user != ""},
		{"--kafka-password-file", k.passwordFile != ""}, {"--kafka-timeout", k.Timeout != k.Patience},
	} {
		if f.given {
			return f.name
		}
	}
	return ""
}

// Options checks the combination of the flags, and returns the options.
func (k *Flags) Options(getenv func(string) string, log *zap.Logger) (kafka.Options, error) {
	o := kafka.Options{
		Brokers: k.Brokers.Values, Topics: k.Topics.Values, Timeout: time.Duration(k.Timeout), Log: log,
		Security: kafka.Security{
			TLS: k.tls || k.ca != "" || k.cert != "", CA: k.ca, Cert: k.cert, Key: k.key,
			Mechanism: k.mechanism.Value, User: k.user,
		},
	}
	switch {
	case len(o.Topics) == 0:
		return o, errors.New("--kafka judges topics: name one with --topic")
	case (k.cert == "") != (k.key == ""):
		return o, errors.New("a client certificate needs both --kafka-cert and --kafka-key")
	case k.mechanism.Value == "" && (k.user != "" || k.passwordFile != ""):
		return o, errors.New("--kafka-user and --kafka-password-file are for a login: choose its mechanism with --kafka-sasl")
	case k.mechanism.Value == "":
		return o, nil
	case k.user == "":
		return o, errors.New("--kafka-sasl needs --kafka-user")
	}
	var err error
	if o.Security.Password, err = k.password(getenv); err != nil {
		return o, err
	}
	if !o.Security.TLS && k.mechanism.Value == "plain" {
		log.Warn("the password crosses the network in clear text: set --kafka-tls")
	}
	return o, nil
}

func (k *Flags) password(getenv func(string) string) (kafka.Password, error) {
	if k.passwordFile == "" {
		if p := getenv(passwordVariable); p != "" {
			return kafka.Password(p), nil
		}
		return "", fmt.Errorf("--kafka-sasl needs a password: put it into a file and name that with --kafka-password-file, or set %s", passwordVariable)
	}
	data, err := files.Read(k.passwordFile, files.Secret)
	if err != nil {
		return "", fmt.Errorf("cannot read the password: %w: check the name and permissions of the file", err)
	}
	p := strings.TrimRight(string(data), "\r\n")
	if p == "" {
		return "", fmt.Errorf("there is no password in %s", k.passwordFile)
	}
	return kafka.Password(p), nil
}
