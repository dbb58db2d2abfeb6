package kafka

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"tracecheck/ingest/kafka/kafkatest"
)

// A real broker gives what the one in the other tests gives, under each
// compression, and within the spans that are asked for.
func TestRealKafka(t *testing.T) {
	brokers := kafkatest.Real(t)
	admin := kafkatest.Client(t, brokers)
	for i, codec := range []kgo.CompressionCodec{
		kgo.NoCompression(), kgo.GzipCompression(), kgo.SnappyCompression(), kgo.Lz4Compression(), kgo.ZstdCompression(),
	} {
		topic := kafkatest.Topic(t)
		kafkatest.CreateTopic(t, admin, topic, 3)
		producer := kafkatest.Client(t, brokers, kgo.ProducerBatchCompression(codec))
		var want []string
		for p := range 3 {
			var list []*kgo.Record
			for n := range 2000 {
				id := fmt.Sprintf("p%d-%d", p, n)
				list = append(list, kafkatest.Message(topic, p, fmt.Sprint("s", p), node(id)))
				if n >= 5 {
					want = append(want, fmt.Sprintf("%s/%d offset %d %q %s", topic, p, n, fmt.Sprint("s", p), id))
				}
			}
			kafkatest.Produce(t, producer, list...)
		}
		for _, most := range []int32{1, 0} {
			s := open(t, Options{Brokers: brokers, Topics: []string{topic}, most: most})
			all := spans(t, s)
			for p := range all {
				all[p].From = 5
			}
			if got := drain(t, s, all); !slices.Equal(got.events, want) {
				t.Errorf("compression %d: %d events, want %d", i, len(got.events), len(want))
			}
		}
	}
}

func realTopic(t *testing.T, config ...string) (brokers []string, topic string) {
	brokers = kafkatest.Real(t)
	topic = kafkatest.Topic(t)
	kafkatest.CreateTopic(t, kafkatest.Client(t, brokers), topic, 1, config...)
	return brokers, topic
}

func TestRealKafkaTransactions(t *testing.T) {
	brokers, topic := realTopic(t)
	testTransactions(t, brokers, topic, 150)
}

func TestRealKafkaOpenTransaction(t *testing.T) {
	brokers, topic := realTopic(t)
	testOpenTransaction(t, brokers, topic)
}

// A compacted topic has gaps, and so has one whose transactions were aborted;
// the end is reached all the same.
func TestRealKafkaCompaction(t *testing.T) {
	brokers, topic := realTopic(t, "cleanup.policy=compact", "segment.ms=200", "min.cleanable.dirty.ratio=0.001",
		"min.compaction.lag.ms=0", "max.compaction.lag.ms=500", "delete.retention.ms=100")
	producer := kafkatest.Client(t, brokers)
	const each = 50
	write := func() {
		var list []*kgo.Record
		for n := range each {
			list = append(list, kafkatest.Message(topic, 0, fmt.Sprint("s", n%5), node(fmt.Sprint(n))))
		}
		kafkatest.Produce(t, producer, list...)
	}
	s := open(t, Options{Brokers: brokers, Topics: []string{topic}})
	var got seen
	var span Span
	for began := time.Now(); ; time.Sleep(300 * time.Millisecond) {
		write() // a segment is closed by what comes after it
		span = spans(t, s)[0]
		if got = drain(t, s, []Span{span}); int64(len(got.events)) < span.End/2 {
			break
		}
		if time.Since(began) > time.Minute {
			t.Fatalf("nothing is compacted: %d events of %d", len(got.events), span.End)
		}
	}
	if next := got.next[fmt.Sprintf("kafka:%s/0", topic)]; next != span.End {
		t.Errorf("it ends before %d, at %d", span.End, next)
	}
	t.Logf("%d events are left of %d", len(got.events), span.End)
}

func TestRealKafkaRetention(t *testing.T) {
	brokers, topic := realTopic(t)
	client := kafkatest.Client(t, brokers)
	for n := range 10 {
		kafkatest.Produce(t, client, kafkatest.Message(topic, 0, "a", node(fmt.Sprint(n))))
	}
	kafkatest.DeleteUpTo(t, client, topic, 0, 7)
	s := open(t, Options{Brokers: brokers, Topics: []string{topic}})
	got := drain(t, s, []Span{{topic, 0, 2, 10}})
	if len(got.events) != 3 || !slices.Equal(got.lost, []Lost{{2, 7}}) {
		t.Errorf("got %q, lost %v", got.events, got.lost)
	}
	err := s.Drain(bounded(t), []Span{{topic, 0, 11, 20}}, got.take)
	if err == nil || !strings.Contains(err.Error(), "ends at offset 10, before offset 11") {
		t.Errorf("behind the end: got %v", err)
	}
}

// A broker that is killed and comes again loses nothing.
func TestRealKafkaRestart(t *testing.T) {
	brokers, topic := realTopic(t)
	_, file := kafkatest.Closed(t)
	producer := kafkatest.Client(t, brokers, kgo.ProducerBatchMaxBytes(1000))
	var list []*kgo.Record
	for n := range 2000 {
		list = append(list, kafkatest.Message(topic, 0, "a", node(fmt.Sprint(n))))
	}
	kafkatest.Produce(t, producer, list...)
	s := open(t, Options{Brokers: brokers, Topics: []string{topic}, most: 1, Timeout: time.Minute})
	var got seen
	killed := false
	err := s.Drain(t.Context(), spans(t, s), func(b *Batch) error {
		if !killed && len(got.events) > 100 {
			killed = true
			if out, err := exec.Command(file("restart")).CombinedOutput(); err != nil {
				return fmt.Errorf("%w: %s", err, out)
			}
		}
		return got.take(b)
	})
	if err != nil || len(got.events) != len(list) || !killed {
		t.Fatalf("got %d events, want %d; error %v", len(got.events), len(list), err)
	}
	for n, ev := range got.events {
		if want := fmt.Sprintf("%s/0 offset %d %q %d", topic, n, "a", n); ev != want {
			t.Fatalf("got %s, want %s", ev, want)
		}
	}
}

// Logins with certificates and each mechanism; what is wrong is reported at once.
func TestRealKafkaSecurity(t *testing.T) {
	brokers, file := kafkatest.Closed(t)
	_, topic := realTopic(t)
	secret, err := os.ReadFile(file("password"))
	if err != nil {
		t.Fatal(err)
	}
	right := Password(strings.TrimSpace(string(secret)))
	try := func(security Security) error {
		s := open(t, Options{Brokers: brokers, Topics: []string{topic}, Security: security, Timeout: 2 * time.Second})
		_, err := s.Partitions(bounded(t))
		return err
	}
	stranger := newAuthority(t, "stranger")
	cert, key := stranger.issue("client")
	for _, mechanism := range Mechanisms {
		good := Security{
			TLS: true, CA: file("ca.pem"), Cert: file("client.pem"), Key: file("client.key"),
			Mechanism: mechanism, User: "eve", Password: right,
		}
		if err := try(good); err != nil {
			t.Errorf("%s: %v", mechanism, err)
		}
		for want, change := range map[string]func(*Security){
			"check the user, the password":                   func(s *Security) { s.Password = "wrong " + right },
			"with --kafka-ca":                                func(s *Security) { s.CA = stranger.file },
			"the broker does not take the client's certific": func(s *Security) { s.Cert, s.Key = cert, key },
			"--kafka-tls":                                    func(s *Security) { *s = Security{} },
			"may require --kafka-sasl":                       func(s *Security) { s.Mechanism = "" },
		} {
			bad := good
			change(&bad)
			err := try(bad)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, want %q", mechanism, err, want)
			} else if strings.Contains(err.Error(), string(right)) {
				t.Errorf("%s: the error has the password: %v", mechanism, err)
			}
		}
	}
}
