package kafka

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"time"

	kafkago "github.com/segmentio/kafka-go"
)

// topicError is an error of the brokers about a topic or partition.
type topicError struct {
	name string
	err  error
}

func (e topicError) Error() string { return e.name + ": " + BareError(e.err) }
func (e topicError) Unwrap() error { return e.err }

// permanent is an error that a retry does not remove.
type permanent struct{ error }

func (p permanent) Unwrap() error { return p.error }

// unknown is the library's error for a request without an answer.
const unknown kafkago.Error = -1

// passing reports whether a retry may succeed: brokers come back, and partitions get new
// leaders. If brokers were reached before, an unknown host name may be that of a broker
// that is down.
func passing(err error, reached bool) bool {
	if _, ok := errors.AsType[permanent](err); ok {
		return false
	}
	if e, ok := errors.AsType[kafkago.Error](err); ok {
		if t, ok := errors.AsType[topicError](err); ok && e == kafkago.UnknownTopicOrPartition {
			return strings.Contains(t.name, "/") // the partition exists, but its new leader does not know it yet
		}
		return e == unknown || e == kafkago.BrokerNotAvailable || e == kafkago.ReplicaNotAvailable || e.Temporary()
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return false
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return false
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return !dns.IsNotFound || reached
	}
	text := err.Error()
	return !strings.Contains(text, "expecting TLS") && !strings.Contains(text, "remote error: tls:")
}

// failure is an error with a text for people. It wraps the original error.
type failure struct {
	text string
	err  error
}

func (f failure) Error() string { return f.text }
func (f failure) Unwrap() error { return f.err }

// explain returns the message for a permanent failure, with a remedy.
func (s *Source) explain(deed string, err error) error {
	return failure{fmt.Sprintf("cannot %s: Kafka at %s: %s", deed, strings.Join(s.opts.Brokers, ","), s.hint(err)), err}
}

// away is the error for brokers that have been unreachable for too long.
func (s *Source) away(deed string, err error) error {
	return failure{fmt.Sprintf("cannot %s: Kafka at %s was away for %s: %s", deed,
		strings.Join(s.opts.Brokers, ","), s.patience(err), s.hint(err)), err}
}

// patience returns how long to retry after the error. Even with Forever, it is bounded if
// the broker has closed each connection so far: it may require TLS or a login.
func (s *Source) patience(err error) time.Duration {
	if s.opts.Timeout == Forever && hungUp(err) && !s.reached.Load() {
		return DefaultTimeout
	}
	return s.opts.Timeout
}

// hint returns the error's text with a probable cause.
func (s *Source) hint(err error) string {
	text := BareError(err)
	do := ""
	if e, ok := errors.AsType[kafkago.Error](err); ok {
		switch e {
		case kafkago.UnknownTopicOrPartition:
			do = "check the topic's name, and that this user may see it"
		case kafkago.SASLAuthenticationFailed:
			do = "check the user, the password and the mechanism"
		case kafkago.UnsupportedSASLMechanism, kafkago.IllegalSASLState:
			do = "choose another mechanism with --kafka-sasl"
		case kafkago.TopicAuthorizationFailed, kafkago.ClusterAuthorizationFailed:
			do = "this user needs the right to read and describe the topic"
		case kafkago.GroupAuthorizationFailed:
			do = "this user needs the right to read the group"
		case kafkago.InvalidSessionTimeout:
			do = "the session timeout must be within the brokers' group.min.session.timeout.ms and group.max.session.timeout.ms, which are 6s and 30m unless they were set"
		case kafkago.InconsistentGroupProtocol:
			do = "the group has members that are not monitors: choose another group"
		}
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		do = "name the authority that signed the broker's certificate with --kafka-ca, and the broker as its certificate does"
	}
	closed := hungUp(err) && !s.reached.Load()
	_, notTLS := errors.AsType[tls.RecordHeaderError](err)
	switch {
	case do != "":
	case strings.Contains(text, "expecting TLS"):
		do = "connect with --kafka-tls"
	case strings.Contains(text, "remote error: tls:"):
		do = "the broker does not take the client's certificate: see --kafka-cert and --kafka-key"
	case notTLS:
		do = "the listener may be one without TLS: try without --kafka-tls, or another port"
	case closed && s.opts.Security.Mechanism == "" && s.opts.Security.TLS:
		do = "the broker closed the connection: it may require --kafka-sasl, or have no TLS"
	case closed && s.opts.Security.Mechanism == "":
		do = "the broker closed the connection: it may require --kafka-tls or --kafka-sasl"
	case closed:
		do = "the broker closed the connection: check the user, the password and the mechanism, and whether it has TLS"
	case errors.Is(err, syscall.ECONNREFUSED):
		do = "check the address, and that the broker is up; it must also be reachable under the name that it advertises"
	case errors.Is(err, context.DeadlineExceeded):
		text, do = "no answer", "check the network between here and the brokers"
		if s.opts.Security.TLS {
			do += ", and that the listener is one with TLS"
		}
	}
	if do == "" {
		return text
	}
	return text + ": " + do
}

// hungUp reports whether a broker has closed the connection.
func hungUp(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET)
}

// BareError is the error's text without the names of the library's functions.
func BareError(err error) string {
	text := err.Error()
	if rest, ok := strings.CutPrefix(text, "kafka.(*Client)."); ok {
		if _, after, found := strings.Cut(rest, ": "); found {
			return after
		}
	}
	return text
}
