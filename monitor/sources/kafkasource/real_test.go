package kafkasource

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"tracecheck/ingest/kafka"
	"tracecheck/ingest/kafka/kafkatest"
)

func realTopic(t *testing.T, partitions int32) (brokers []string, topic string) {
	brokers, topic = kafkatest.Real(t), kafkatest.Topic(t)
	kafkatest.CreateTopic(t, kafkatest.Client(t, brokers), topic, partitions)
	return brokers, topic
}

func TestRealKafkaMembersJoinAndLeave(t *testing.T) {
	brokers, topic := realTopic(t, 6)
	testJoinAndLeave(t, brokers, topic)
}

func TestRealKafkaMemberIsCutOff(t *testing.T) {
	brokers, topic := realTopic(t, 6)
	testCutOff(t, brokers, topic, 6*time.Second)
}

// A broker that is killed and comes again costs nothing but time.
func TestRealKafkaBrokerRestarts(t *testing.T) {
	brokers, topic := realTopic(t, 4)
	_, file := kafkatest.Closed(t)
	f := newFleet(t, brokers, topic, 6*time.Second)
	stop := f.produce(4)
	a, b := f.start("a"), f.start("b")
	f.shares(map[*member]int{a: 2, b: 2})
	each := stop()
	f.judgedAll(4, each)
	if out, err := exec.Command(file("restart")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	client := kafkatest.Client(t, brokers)
	for p := range 4 {
		kafkatest.Produce(t, client, kafkatest.Message(topic, p, keyOf(p), event(each)))
	}
	f.judgedAll(4, each+1)
	f.shares(map[*member]int{a: 2, b: 2})
	a.leave()
	b.leave()
}

// A login that fails is reported at once, however long brokers are waited for.
func TestRealKafkaWrongPassword(t *testing.T) {
	brokers, file := kafkatest.Closed(t)
	for _, group := range []string{"", "g"} {
		s, err := Open(Options{
			Kafka: kafka.Options{Brokers: brokers, Topics: []string{"t"}, Security: kafka.Security{
				TLS: true, CA: file("ca.pem"), Cert: file("client.pem"), Key: file("client.key"),
				Mechanism: "scram-sha-256", User: "eve", Password: "wrong",
			}},
			Group: kafka.Group{ID: group},
		})
		if err != nil {
			t.Fatal(err)
		}
		err = s.Run(t.Context(), nil)
		if err == nil || !strings.Contains(err.Error(), "check the user, the password and the mechanism") {
			t.Errorf("group %q: got %v", group, err)
		}
		s.Close()
	}
}
