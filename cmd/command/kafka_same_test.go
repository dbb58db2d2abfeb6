package command

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"tracecheck/ingest"
	"tracecheck/ingest/kafka/kafkatest"
	"tracecheck/postmortem/past"
)

// A trace judged from Kafka gives what it gives from a file, but for the
// positions: the recordings, interleaved, one stream each, keyed by it.
func TestKafkaSameAsFile(t *testing.T) {
	t.Parallel()
	const partitions = 5
	trace := interleaved(t)
	cluster := kafkatest.Start(t, kfake.NumBrokers(2), kfake.SeedTopics(partitions, "events"))
	sameFromKafka(t, cluster.ListenAddrs(), "events", partitions, trace)
}

// sameFromKafka writes the trace to the topic, which is empty, and compares.
func sameFromKafka(t *testing.T, brokers []string, topic string, partitions int, trace []keyedLine) {
	file := filepath.Join(t.TempDir(), "events.jsonl")
	out, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	var records []*kgo.Record
	places := make([]place, len(trace))
	var next [64]int
	for i, l := range trace {
		fmt.Fprintln(out, l.line)
		h := fnv.New32()
		h.Write([]byte(l.key))
		p := int(h.Sum32()) % partitions
		records = append(records, kafkatest.Message(topic, p, l.key, l.line))
		places[i] = place{fmt.Sprintf("kafka:%s/%d", topic, p), next[p] + 1}
		next[p]++
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	kafkatest.Produce(t, kafkatest.Client(t, brokers, kgo.ProducerBatchCompression(kgo.Lz4Compression())), records...)

	for _, flags := range [][]string{{}, {"--profile", "spec"}, {"--profile", "spec", "--steps", "atomic", "--keep-going"}} {
		flags = append(flags, "--output", "json")
		fromFile := judged(t, append(flags, file)...)
		fromKafka := judged(t, append(flags, "--kafka", strings.Join(brokers, ","), "--topic", topic, "--until-end")...)
		if n := fromFile["events"]; n != float64(len(trace)) {
			t.Errorf("%v: %v events of the file, want %d", flags, n, len(trace))
		}
		move(fromFile, file, places)
		withoutIDs(t, fromFile)
		withoutIDs(t, fromKafka)
		if differ := difference("", ordered(fromFile), ordered(fromKafka)); differ != "" {
			t.Errorf("%v: %s", flags, differ)
		}
	}
}

type keyedLine struct{ key, line string }

type place struct {
	file string
	line int
}

// interleaved is the recordings as the streams of one trace.
func interleaved(t *testing.T) []keyedLine {
	names, err := filepath.Glob("../../testdata/traces/*.jsonl*")
	if err != nil || len(names) < 10 {
		t.Fatalf("recordings %v, error %v", names, err)
	}
	var streams [][]keyedLine
	for _, name := range names {
		key, _, _ := strings.Cut(filepath.Base(name), ".")
		var lines []keyedLine
		reader, err := ingest.Open([]string{name}, ingest.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for {
			b, err := reader.Next(t.Context())
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			for i := range b.Events {
				lines = append(lines, keyedLine{key, fmt.Sprintf(`{"stream":%q,%s`, key, strings.Clone(b.Events[i].Raw)[1:])})
			}
			b.Release()
		}
		reader.Close()
		streams = append(streams, lines)
	}
	rng := rand.New(rand.NewPCG(7, 7))
	var all []keyedLine
	for len(streams) > 0 {
		i := rng.IntN(len(streams))
		n := min(1+rng.IntN(20), len(streams[i]))
		all = append(all, streams[i][:n]...)
		if streams[i] = streams[i][n:]; len(streams[i]) == 0 {
			streams = slices.Delete(streams, i, i+1)
		}
	}
	return all
}

func judged(t *testing.T, args ...string) map[string]any {
	t.Helper()
	_, stdout, stderr := tryRun(t.Context(), nil, append([]string{"validate"}, args...)...)
	var result map[string]any
	if err := json.Unmarshal([]byte(stdout), &result); err != nil {
		t.Fatalf("%v: %v\n%s\n%s", args, err, stdout, stderr)
	}
	return result
}

// move gives the positions in the file those that their messages have. All of
// one object are in one partition, as its stream is.
func move(value any, file string, places []place) {
	switch v := value.(type) {
	case []any:
		for _, one := range v {
			move(one, file, places)
		}
	case map[string]any:
		for key, one := range v {
			if line, ok := one.(float64); ok && (key == "line" || strings.HasSuffix(key, "_line")) {
				at := places[int(line)-1]
				v[key] = float64(at.line)
				if name := strings.TrimSuffix(key, "line") + "file"; v[name] == file {
					v[name] = at.file
				}
				if _, violation := v["rule"]; violation && key == "line" {
					v["offset"] = float64(at.line - 1)
				}
			}
			if text, ok := one.(string); ok && key == "reason" {
				v[key] = regexp.MustCompile(regexp.QuoteMeta(file)+`:(\d+)`).ReplaceAllStringFunc(text, func(found string) string {
					line, _ := strconv.Atoi(found[len(file)+1:])
					at := places[line-1]
					return fmt.Sprintf("%s offset %d", strings.TrimPrefix(at.file, "kafka:"), at.line-1)
				})
			}
			move(one, file, places)
		}
	}
}

// ordered sorts what is in the order of the input: by stream, and as it was, or
// by name. Histories, which only the first violations have, are compared where
// all do.
func ordered(result map[string]any) map[string]any {
	by := map[string][]string{
		"violations": {"stream"}, "desired_state": {"stream"}, "liveness": {"stream"}, "allowances": {"spec", "name"},
	}
	for name, keys := range by {
		list, _ := result[name].([]any)
		slices.SortStableFunc(list, func(a, b any) int {
			return slices.CompareFunc(keys, keys, func(k, _ string) int {
				return cmp.Compare(a.(map[string]any)[k].(string), b.(map[string]any)[k].(string))
			})
		})
	}
	specs, _ := result["specs"].([]any)
	slices.SortFunc(specs, func(a, b any) int { return cmp.Compare(a.(string), b.(string)) })
	if list := result["violations"].([]any); len(list) > past.MaxViolations {
		for _, v := range list {
			delete(v.(map[string]any), "history")
			if strings.Contains(fmt.Sprint(v.(map[string]any)["events"]), "op:snapshot") {
				delete(v.(map[string]any), "events") // which come with the history
			}
		}
	}
	return result
}

// difference states where two results part.
func difference(at string, a, b any) string {
	x, ok := a.(map[string]any)
	y, also := b.(map[string]any)
	if ok && also {
		for key := range x {
			if d := difference(at+"."+key, x[key], y[key]); d != "" {
				return d
			}
		}
		for key := range y {
			if _, ok := x[key]; !ok {
				return fmt.Sprintf("%s.%s: only Kafka's has it", at, key)
			}
		}
		return ""
	}
	k, ok := a.([]any)
	l, also := b.([]any)
	if ok && also && len(k) == len(l) {
		for i := range k {
			if d := difference(fmt.Sprintf("%s[%d]", at, i), k[i], l[i]); d != "" {
				return d
			}
		}
		return ""
	}
	if !reflect.DeepEqual(a, b) {
		return fmt.Sprintf("%s: the file's is %v, Kafka's %v", at, a, b)
	}
	return ""
}
