package topic

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"tracecheck/ingest/kafka"
	"tracecheck/ingest/kafka/kafkatest"
)

// A real broker takes what the one in the other tests takes, over TLS and with a
// login, and refuses what is too large.
func TestRealKafkaWrite(t *testing.T) {
	brokers := kafkatest.Real(t)
	closed, file := kafkatest.Closed(t)
	password, err := os.ReadFile(file("password"))
	if err != nil {
		t.Fatal(err)
	}
	name := kafkatest.Topic(t)
	kafkatest.CreateTopic(t, kafkatest.Client(t, brokers), name, 1, "max.message.bytes=2000")
	to, err := Open(Options{Brokers: closed, Topic: name, Security: kafka.Security{
		TLS: true, CA: file("ca.pem"), Cert: file("client.pem"), Key: file("client.key"),
		Mechanism: "scram-sha-512", User: "eve", Password: kafka.Password(strings.TrimSpace(string(password))),
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	long := Message{Key: []byte("k"), Value: []byte(strings.Repeat("x", 3000))}
	var list []Message
	var want []string
	for i := range 100 {
		list = append(list, Message{Key: []byte("k"), Value: fmt.Append(nil, i)})
		want = append(want, fmt.Sprint("k=", i))
	}
	list[7].Shorter, list[7].Value = func() Message { return Message{Key: []byte("k"), Value: []byte("7")} }, long.Value
	tooLarge, err := to.Write(bounded(t), append(list, long))
	if err != nil || !slices.Equal(tooLarge, []int{100}) {
		t.Fatalf("too large: %v (%v), want [100]", tooLarge, err)
	}
	if got := read(t, brokers, name, len(want))[0]; !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}
