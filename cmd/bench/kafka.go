package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/tidwall/gjson"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// kafka compares a topic with the file of the same events, and two monitors with one: of a
// broker in this process, which takes its share of the processors, and of a real one if
// there is one. It returns what ends the former.
func (b *bench) kafka(one trace) ([]comparison, func()) {
	var embedded *kfake.Cluster
	fake := sync.OnceValues(func() (string, error) {
		var err error
		if embedded, err = kfake.NewCluster(kfake.NumBrokers(1)); err != nil {
			return "", err
		}
		return embedded.ListenAddrs()[0], nil
	})
	var list []comparison
	for _, of := range []struct {
		name  string
		start func() (string, error)
		skip  string
	}{
		{name: "kfake", start: fake},
		{name: "a real Kafka", start: func() (string, error) { return b.broker, nil }, skip: "-kafka names no broker; `.ci/kafka serve` starts one"},
	} {
		topic, group := b.fromTopic("a topic of "+of.name+" / a file", one, of.start), b.group("of "+of.name, of.start)
		if b.broker == "" {
			topic.skip, group.skip = of.skip, of.skip
		}
		list = append(list, topic, group)
	}
	return list, func() {
		if embedded != nil {
			embedded.Close()
		}
	}
}

// newTopic is a name that no topic has.
func newTopic() string { return "bench-" + strconv.FormatInt(time.Now().UnixNano(), 36) }

func (b *bench) fromTopic(name string, one trace, start func() (string, error)) comparison {
	c := comparison{name: name, a: command{events: one.events}, b: b.validate(one)}
	c.prepare = func(c *comparison) error {
		if err := b.make(one); err != nil {
			return err
		}
		broker, err := start()
		if err != nil {
			return err
		}
		topic := newTopic()
		c.a.args = []string{b.tool, "validate", "--quiet", "--kafka", broker, "--topic", topic, "--until-end"}
		p, err := produce(broker, topic, 1, one.path)
		if err != nil {
			return err
		}
		return p.commit()
	}
	return c
}

// partitions are those of the topic that a group of monitors shares.
const partitions = 8

// group compares two monitors of a consumer group, each with one core, with one. The
// events are in a transaction, which ends when each monitor has its partitions.
func (b *bench) group(where string, start func() (string, error)) comparison {
	some := b.trace("streams100-long.jsonl", 3*b.events, "--streams", "100", "--objects", "20")
	some, write := b.marked(some)
	c := comparison{name: fmt.Sprintf("two monitors on %d partitions %s / one, each one core", partitions, where)}
	monitors := func(n int) command {
		return command{events: some.events, run: func() (float64, error) {
			broker, err := start()
			if err != nil {
				return 0, err
			}
			return b.share(n, broker, some)
		}}
	}
	c.a, c.b = monitors(2), monitors(1)
	c.prepare = func(*comparison) error { return write() }
	return c
}

// share is how long so many monitors take to judge the trace together, in seconds.
func (b *bench) share(n int, broker string, some trace) (took float64, err error) {
	topic := newTopic()
	p, err := produce(broker, topic, partitions, some.path)
	if err != nil {
		return 0, err
	}
	found := newAlerts()
	var list []*running
	defer func() {
		for _, m := range list {
			err = errors.Join(err, m.stop())
		}
	}()
	for range n {
		m, err := b.startMonitor(found, []string{"GOMAXPROCS=1"}, "--kafka", broker, "--topic", topic, "--group", topic, "--checkpoint-topic", topic+"-state")
		if err != nil {
			return 0, err
		}
		list = append(list, m)
	}
	if err := assigned(list); err != nil {
		return 0, err
	}
	start := time.Now()
	if err := p.commit(); err != nil {
		return 0, err
	}
	end, err := judgedAt(found, list...)
	return end.Sub(start).Seconds(), err
}

var judging = regexp.MustCompile(`(?m)^tracecheck_part_state\{.*state="judging"\} 1$`)

// assigned waits until each of the monitors judges its share of the partitions.
func assigned(monitors []*running) error {
	for {
		ready := 0
		for _, m := range monitors {
			if err := m.hasEnded(); err != nil {
				return err
			}
			page, _ := m.get("/metrics")
			if len(judging.FindAllString(page, -1)) == partitions/len(monitors) {
				ready++
			}
		}
		if ready == len(monitors) {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// create makes a topic.
func create(ctx context.Context, c *kgo.Client, name string, partitions int32) error {
	topic := kmsg.NewCreateTopicsRequestTopic()
	topic.Topic, topic.NumPartitions, topic.ReplicationFactor = name, partitions, 1
	req := kmsg.NewPtrCreateTopicsRequest()
	req.Topics = append(req.Topics, topic)
	res, err := req.RequestWith(ctx, c)
	if err != nil {
		return err
	}
	return kerr.ErrorForCode(res.Topics[0].ErrorCode)
}

// produced is a transaction whose messages no one sees before it is committed.
type produced struct{ client *kgo.Client }

func (p produced) commit() error {
	defer p.client.Close()
	return p.client.EndTransaction(context.Background(), kgo.TryCommit)
}

// produce makes the topic, and writes each line of the file as a message. A stream has one
// partition.
func produce(broker, topic string, partitions int32, path string) (p produced, err error) {
	f, err := os.Open(path)
	if err != nil {
		return p, err
	}
	defer f.Close()
	c, err := kgo.NewClient(kgo.SeedBrokers(broker), kgo.DefaultProduceTopic(topic), kgo.ProducerLinger(5*time.Millisecond),
		kgo.TransactionalID(topic), kgo.TransactionTimeout(10*time.Minute))
	if err != nil {
		return p, err
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("cannot write to %s: %w", broker, err)
			c.Close()
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	if err := create(ctx, c, topic, partitions); err != nil {
		return p, err
	}
	if err := c.BeginTransaction(); err != nil {
		return p, err
	}
	var failed kgo.FirstErrPromise
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		line := slices.Clone(lines.Bytes())
		c.Produce(ctx, &kgo.Record{Key: []byte(gjson.GetBytes(line, "stream").Str), Value: line}, failed.Promise())
	}
	return produced{c}, errors.Join(lines.Err(), c.Flush(ctx), failed.Err())
}
