package command

import (
	"strings"
	"testing"

	"tracecheck/ingest/kafka/kafkatest"
)

// The recordings from a real broker give what they give from a file.
func TestRealKafkaSameAsFile(t *testing.T) {
	const partitions = 5
	brokers := kafkatest.Real(t)
	topic := kafkatest.Topic(t)
	kafkatest.CreateTopic(t, kafkatest.Client(t, brokers), topic, partitions)
	sameFromKafka(t, brokers, topic, partitions, interleaved(t))
}

// The flags for TLS and SASL, and the password in a file.
func TestRealKafkaFlags(t *testing.T) {
	brokers := kafkatest.Real(t)
	closed, file := kafkatest.Closed(t)
	topic := kafkatest.Topic(t)
	client := kafkatest.Client(t, brokers)
	kafkatest.CreateTopic(t, client, topic, 1)
	for _, l := range lines(t, "legal.jsonl") {
		kafkatest.Produce(t, client, kafkatest.Message(topic, 0, "a", l))
	}
	for _, mechanism := range []string{"plain", "scram-sha-256", "scram-sha-512"} {
		status, stdout, stderr := tryRun(t.Context(), nil, "validate", "--kafka", closed[0], "--topic", topic, "--until-end",
			"--kafka-ca", file("ca.pem"), "--kafka-cert", file("client.pem"), "--kafka-key", file("client.key"),
			"--kafka-sasl", mechanism, "--kafka-user", "eve", "--kafka-password-file", file("password"))
		if status != 0 || !strings.HasPrefix(stdout, "CONFORMING") {
			t.Errorf("%s: exit status %d\n%s%s", mechanism, status, stdout, stderr)
		}
	}
}
