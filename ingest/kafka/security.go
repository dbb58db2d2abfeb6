package kafka

import (
	"crypto/tls"
	"errors"
	"fmt"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/sasl"
	"github.com/segmentio/kafka-go/sasl/plain"

	"tracecheck/internal/files"
)

// Security has the settings for TLS and the login. The zero value means neither.
type Security struct {
	TLS  bool
	CA   string // a PEM file of the authorities to believe; "": the system's
	Cert string // a PEM file of the client's certificate; "": none
	Key  string // the file of its key

	Mechanism string // one of Mechanisms; "": no SASL
	User      string
	Password  Password
}

// Password is a string that is never formatted.
type Password string

func (Password) String() string   { return "(secret)" }
func (Password) GoString() string { return "(secret)" }

// Mechanisms are the supported SASL mechanisms.
var Mechanisms = []string{sasl256, sasl512, saslPlain}

const (
	saslPlain = "plain"
	sasl256   = "scram-sha-256"
	sasl512   = "scram-sha-512"
)

// Transport returns a transport for writing to the topics. An error means a wrong
// configuration.
func (s *Security) Transport(topics ...string) (*kafkago.Transport, error) {
	config, err := s.tls()
	if err != nil {
		return nil, err
	}
	mechanism, err := s.sasl()
	if err != nil {
		return nil, err
	}
	return &kafkago.Transport{
		ClientID: clientID, TLS: config, SASL: mechanism,
		MetadataTTL: defaultPace.metadata, MetadataTopics: topics,
	}, nil
}

func (o *Options) transport() (*kafkago.Transport, error) {
	t, err := o.Security.Transport(o.Topics...)
	if err == nil {
		t.MetadataTTL, t.Dial = o.pace.metadata, o.Dial
	}
	return t, err
}

func (s *Security) tls() (*tls.Config, error) {
	if !s.TLS {
		return nil, nil
	}
	config := &tls.Config{}
	if s.CA != "" {
		var err error
		if config.RootCAs, err = files.Authorities(s.CA); err != nil {
			return nil, err
		}
	}
	if s.Cert != "" || s.Key != "" {
		pair, err := files.KeyPair(s.Cert, s.Key)
		if err != nil {
			return nil, fmt.Errorf("cannot use the client certificate: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

func (s *Security) sasl() (sasl.Mechanism, error) {
	switch {
	case s.Mechanism == "":
		return nil, nil
	case s.User == "" || s.Password == "":
		return nil, errors.New("SASL needs a user and a password")
	}
	switch s.Mechanism {
	case saslPlain:
		return plain.Mechanism{Username: s.User, Password: string(s.Password)}, nil
	case sasl256, sasl512:
		return newScram(s.Mechanism, s.User, string(s.Password)), nil
	}
	return nil, fmt.Errorf("unknown SASL mechanism %q: expected one of %q", s.Mechanism, Mechanisms)
}
