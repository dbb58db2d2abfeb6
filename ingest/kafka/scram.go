package kafka

import (
	"context"

	"github.com/segmentio/kafka-go/sasl"
	franz "github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// login logs in with a mechanism of franz-go. Its SCRAM does not normalize the user and the
// password, like Kafka's own clients and brokers. That of kafka-go normalizes them, which
// needs large tables.
type login struct{ franz.Mechanism }

func newScram(mechanism, user, password string) sasl.Mechanism {
	auth := scram.Auth{User: user, Pass: password}
	if mechanism == sasl256 {
		return login{auth.AsSha256Mechanism()}
	}
	return login{auth.AsSha512Mechanism()}
}

func (l login) Start(ctx context.Context) (sasl.StateMachine, []byte, error) {
	session, first, err := l.Authenticate(ctx, "")
	return talk{session}, first, err
}

// talk is one login in progress.
type talk struct{ franz.Session }

func (t talk) Next(_ context.Context, challenge []byte) (done bool, answer []byte, err error) {
	return t.Challenge(challenge)
}
