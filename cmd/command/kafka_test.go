package command

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"tracecheck/ingest/kafka/kafkatest"
	"tracecheck/internal/console"
	"tracecheck/specs"
)

// lines are those of a trace in testdata.
func lines(t *testing.T, name string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata/traces", name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

// messages has the lines as messages of one partition.
func messages(partition int, key string, lines ...string) []*kgo.Record {
	var all []*kgo.Record
	for _, l := range lines {
		all = append(all, kafkatest.Message("t", partition, key, l))
	}
	return all
}

// judgeTopic judges what is in the topic t of a cluster with two partitions.
func judgeTopic(t *testing.T, records []*kgo.Record, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	c := kafkatest.Start(t, kfake.SeedTopics(2, "t"))
	kafkatest.Produce(t, kafkatest.Client(t, c.ListenAddrs()), records...)
	args = append([]string{"validate", "--kafka", c.ListenAddrs()[0], "--topic", "t", "--until-end", "--color=never"}, args...)
	return tryRun(t.Context(), nil, args...)
}

func TestKafkaVerdicts(t *testing.T) {
	legal, skip := lines(t, "legal.jsonl"), lines(t, "skip.jsonl")
	cases := []struct {
		name    string
		records []*kgo.Record
		args    []string
		status  int
		want    []string // parts of stdout
		not     []string
	}{
		{name: "conforming", records: append(messages(0, "a", legal...), messages(1, "b", legal...)...), status: 0,
			want: []string{"CONFORMING", "22 events", "2 streams"}},
		{name: "a violation, with what was before", records: append(messages(0, "a", legal...), messages(1, "b", skip...)...), status: 1,
			want: []string{"VIOLATION  swarmkit  t/1 offset 4\n", "\n   at t/1 offset 4, stream \"b\"", "\n     4  {", "\n     offset 3  "}},
		{name: "in JSON", records: messages(1, "b", skip...), args: []string{"-o", "json"}, status: 1,
			want: []string{`"file":"kafka:t/1","line":5,"offset":4,"first_line":5,"last_line":5,`}},
		{name: "the first message is no missing one", records: messages(0, "a", append([]string{"nonsense"}, legal...)...), status: 3,
			want: []string{`t/0 offset 0: the line is not JSON: "nonsense"`}},
		{name: "a bad message ends the input", records: append(messages(0, "a", legal[0], legal[1], `{"kind":"cow"}`), messages(1, "b", skip...)...), status: 3,
			want: []string{"UNUSABLE", `t/0 offset 2: unknown kind "cow"`, "2 events"}, not: []string{"VIOLATION", "No action"}},
		{name: "a stream in two partitions is not judged", records: append(messages(0, "a", skip[:8]...), messages(1, "a", skip[8:]...)...), status: 3,
			want: []string{"UNUSABLE", `t/1 offset 0: stream "a" is in t/0 too`}, not: []string{"No action"}},
		{name: "a bound that ends the run before that shows", args: []string{"--max-violations", "1"}, status: 1,
			records: append(messages(0, "a", skip[:3]...), append(messages(1, "b", skip...), messages(1, "a", skip[3:]...)...)...),
			want:    []string{"VIOLATION (PARTIAL)", `stream "b"`}},
		{name: "tombstones", records: append(messages(0, "a", legal...), messages(0, "a", "", " ")...), status: 0,
			want: []string{"CONFORMING", "note: messages without a value: 2, skipped.", "11 events"}},
		{name: "from an offset", records: messages(0, "a", append([]string{"nonsense"}, legal...)...), args: []string{"--from", "1"}, status: 0,
			want: []string{"CONFORMING", "11 events"}},
		{name: "from behind the end of one", records: append(messages(0, "a", append([]string{"nonsense"}, legal...)...), messages(1, "b", "nonsense")...), args: []string{"--from", "1"}, status: 0,
			want: []string{"CONFORMING", "11 events"}, not: []string{"t/1 ends"}},
		{name: "from far behind the end", records: messages(0, "a", legal...), args: []string{"--from", "12"}, status: 3,
			want: []string{"the input has no events", "note: t/0 ends at offset 11, so none of its messages were read."}},
		{name: "from a time to come", records: messages(0, "a", "nonsense"), args: []string{"--from", "2200-01-01T00:00:00Z"}, status: 3,
			want: []string{"the input has no events"}},
		{name: "an empty topic", status: 3, want: []string{"the input has no events"}},
		{name: "a line that is too long", records: messages(0, "a", legal...), args: []string{"--max-line", "40"}, status: 3,
			want: []string{"longer than 40 bytes", "--max-line"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			status, stdout, stderr := judgeTopic(t, c.records, c.args...)
			if status != c.status {
				t.Errorf("exit status %d, want %d; stderr %s", status, c.status, stderr)
			}
			// Prose is wrapped, and the report indents it.
			flat := strings.Join(strings.Fields(stdout), " ")
			for _, part := range c.want {
				if !strings.Contains(stdout, part) && !strings.Contains(flat, part) {
					t.Errorf("stdout lacks %q:\n%s", part, stdout)
				}
			}
			for _, part := range c.not {
				if strings.Contains(stdout, part) {
					t.Errorf("stdout has %q:\n%s", part, stdout)
				}
			}
		})
	}
}

// Deleted messages are reported as missing, not skipped in silence.
func TestKafkaRetention(t *testing.T) {
	legal := lines(t, "legal.jsonl")
	c := kafkatest.Start(t, kfake.SeedTopics(1, "t"))
	client := kafkatest.Client(t, c.ListenAddrs())
	kafkatest.Produce(t, client, messages(0, "a", "nonsense", "more nonsense")...)
	kafkatest.Produce(t, client, messages(0, "a", legal...)...)
	kafkatest.DeleteUpTo(t, client, "t", 0, 2)
	for from, note := range map[string]string{
		"earliest": "note: t/0 begins at offset 2: retention has deleted what was before.",
		"1":        "note: t/0: offsets 1 to 1 were deleted by retention before they were read.",
	} {
		args := []string{"validate", "--kafka", c.ListenAddrs()[0], "--topic", "t", "--until-end", "--from", from}
		status, stdout, stderr := tryRun(t.Context(), nil, args...)
		if status != 0 || !strings.Contains(stdout, note) {
			t.Errorf("from %s: exit status %d\n%s%s", from, status, stdout, stderr)
		}
		_, _, stderr = tryRun(t.Context(), nil, append(args, "-o", "json")...)
		if !strings.Contains(stderr, strings.TrimPrefix(note, "note: ")) {
			t.Errorf("from %s, in JSON: stderr is %s", from, stderr)
		}
	}
}

// Without --until-end the topics are judged as they grow, and findings are
// logged at once; the end that was asked for is no failure.
func TestKafkaFollow(t *testing.T) {
	skip := lines(t, "skip.jsonl")
	c := kafkatest.Start(t, kfake.SeedTopics(2, "t"))
	client := kafkatest.Client(t, c.ListenAddrs())
	kafkatest.Produce(t, client, messages(1, "b", skip[:5]...)...)
	ctx, cancel := context.WithCancel(t.Context())
	stderr := newWatched("transition Next")
	var stdout bytes.Buffer
	var status int
	var done sync.WaitGroup
	done.Go(func() {
		status = run(ctx, console.Environment{
			Specs: specs.All(), Args: []string{"tracecheck", "validate", "--kafka", c.ListenAddrs()[0], "--topic", "t"},
			Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: stderr, Getenv: func(string) string { return "" },
		})
	})
	kafkatest.Produce(t, client, messages(1, "b", skip[5:]...)...)
	select {
	case <-stderr.has:
	case <-time.After(2 * time.Minute):
		t.Error("the violation is not logged")
	}
	cancel()
	done.Wait()
	if status != 1 || !strings.HasPrefix(stdout.String(), "VIOLATION  swarmkit  t/1 offset 4\n") {
		t.Errorf("exit status %d\n%s", status, stdout.String())
	}
}

// More partitions end it: a stream's next event may be in one that is not read.
func TestKafkaGrows(t *testing.T) {
	t.Parallel()
	c := kafkatest.Start(t, kfake.SeedTopics(2, "t"))
	client := kafkatest.Client(t, c.ListenAddrs())
	kafkatest.Produce(t, client, messages(1, "b", lines(t, "skip.jsonl")...)...)
	stderr := newWatched("transition Next")
	var status int
	var done sync.WaitGroup
	done.Go(func() {
		status = run(t.Context(), console.Environment{
			Specs: specs.All(), Args: []string{"tracecheck", "validate", "--kafka", c.ListenAddrs()[0], "--topic", "t", "--duration", "1m"},
			Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: stderr, Getenv: func(string) string { return "" },
		})
	})
	select {
	case <-stderr.has:
	case <-time.After(2 * time.Minute):
		t.Error("it does not begin")
	}
	kafkatest.Grow(t, client, "t", 3)
	done.Wait()
	if want := "the topics have 3 partitions now; there were 2"; status != statusUsage || !strings.Contains(stderr.String(), want) {
		t.Errorf("exit status %d, want %d; stderr lacks %q:\n%s", status, statusUsage, want, stderr.String())
	}
}

// --duration ends it, too.
func TestKafkaDuration(t *testing.T) {
	t.Parallel()
	c := kafkatest.Start(t, kfake.SeedTopics(2, "t"))
	kafkatest.Produce(t, kafkatest.Client(t, c.ListenAddrs()), messages(1, "b", lines(t, "legal.jsonl")...)...)
	var status int
	var stdout, stderr string
	for most := 2 * time.Second; !strings.HasPrefix(stdout, "CONFORMING") && most < time.Minute; most *= 2 { // a busy machine may need longer
		status, stdout, stderr = tryRun(t.Context(), nil, "validate", "--kafka", c.ListenAddrs()[0], "--topic", "t", "--duration", most.String())
	}
	if status != 0 || !strings.HasPrefix(stdout, "CONFORMING  swarmkit") {
		t.Errorf("exit status %d\n%s%s", status, stdout, stderr)
	}
}

// An interrupt of a reading that has an end makes it partial.
func TestKafkaInterrupted(t *testing.T) {
	c := kafkatest.Start(t, kfake.SeedTopics(1, "t"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	status, stdout, _ := tryRun(ctx, nil, "validate", "--kafka", c.ListenAddrs()[0], "--topic", "t", "--until-end")
	if status != 3 || !strings.HasPrefix(stdout, "UNUSABLE (PARTIAL)") {
		t.Errorf("exit status %d\n%s", status, stdout)
	}
}

// What keeps Kafka from being read is reported, with exit status 2, and without
// the password.
func TestKafkaFails(t *testing.T) {
	t.Parallel()
	const secret = "hunter2hunter2"
	password := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(password, []byte("wrong"+secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	open := kafkatest.Start(t, kfake.SeedTopics(1, "t")).ListenAddrs()[0]
	closed := kafkatest.Start(t, kfake.SeedTopics(1, "t"), kfake.EnableSASL(), kfake.Superuser("PLAIN", "eve", secret)).ListenAddrs()[0]
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--kafka", open, "--topic", "nosuch"}, "check the topic's name"},
		{[]string{"--kafka", "127.0.0.1:1", "--topic", "t", "--kafka-timeout", "300ms"}, "check the address, and that the broker is up"},
		{[]string{"--kafka", open, "--topic", "t", "--map", "rules.yaml"}, "--map is for logs in files"},
		{[]string{"--kafka", "nosuch.invalid:9092", "--topic", "t"}, "nosuch.invalid"},
		{[]string{"--kafka", closed, "--topic", "t", "--kafka-sasl", "plain", "--kafka-user", "eve", "--kafka-password-file", password, "-v", "--kafka-timeout", "4s"}, "check the user, the password and the mechanism"},
		{[]string{"--kafka", closed, "--topic", "t", "--kafka-timeout", "4s"}, "it may require --kafka-tls or --kafka-sasl"},
		{[]string{"--kafka", open, "--topic", "t", "--kafka-tls", "--kafka-timeout", "300ms"}, "that the listener is one with TLS"},
	} {
		status, stdout, stderr := tryRun(t.Context(), io.LimitReader(nil, 0), append([]string{"validate", "--until-end"}, c.args...)...)
		if status != statusUsage || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: exit status %d, stdout %q, stderr lacks %q:\n%s", c.args, status, stdout, c.want, stderr)
		}
		if strings.Contains(stderr, secret) {
			t.Errorf("%v: stderr has the password:\n%s", c.args, stderr)
		}
	}
}
