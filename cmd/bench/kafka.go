package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// kafka compares a topic with the file of the same events: of a broker in this
// process, which takes its share of the processors, and of a real one if there
// is one. It returns what ends the former.
func (b *bench) kafka(one trace) ([]comparison, func()) {
	topic := "bench-" + strconv.FormatInt(time.Now().UnixNano(), 36)
	var embedded *kfake.Cluster
	fake := b.fromTopic("a topic of kfake / a file", topic, one, func() (string, error) {
		var err error
		if embedded, err = kfake.NewCluster(kfake.NumBrokers(1)); err != nil {
			return "", err
		}
		return embedded.ListenAddrs()[0], nil
	})
	real := b.fromTopic("a topic of a real Kafka / a file", topic, one, func() (string, error) { return b.broker, nil })
	if b.broker == "" {
		real.skip = "-kafka names no broker; `.ci/kafka serve` starts one"
	}
	return []comparison{fake, real}, func() {
		if embedded != nil {
			embedded.Close()
		}
	}
}

func (b *bench) fromTopic(name, topic string, one trace, start func() (string, error)) comparison {
	c := comparison{name: name, a: command{events: one.events}, b: b.validate(one)}
	c.prepare = func(c *comparison) error {
		if err := b.make(one); err != nil {
			return err
		}
		broker, err := start()
		if err != nil {
			return err
		}
		c.a.args = []string{b.tool, "validate", "--quiet", "--kafka", broker, "--topic", topic, "--until-end"}
		return produce(broker, topic, one.path)
	}
	return c
}

// create makes a topic of one partition.
func create(ctx context.Context, c *kgo.Client, name string) error {
	topic := kmsg.NewCreateTopicsRequestTopic()
	topic.Topic, topic.NumPartitions, topic.ReplicationFactor = name, 1, 1
	req := kmsg.NewPtrCreateTopicsRequest()
	req.Topics = append(req.Topics, topic)
	res, err := req.RequestWith(ctx, c)
	if err != nil {
		return err
	}
	return kerr.ErrorForCode(res.Topics[0].ErrorCode)
}

// produce writes each line of the file as a message.
func produce(broker, topic, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	c, err := kgo.NewClient(kgo.SeedBrokers(broker), kgo.DefaultProduceTopic(topic), kgo.ProducerLinger(5*time.Millisecond))
	if err != nil {
		return err
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	if err := create(ctx, c, topic); err != nil {
		return fmt.Errorf("cannot create a topic at %s: %w", broker, err)
	}
	var failed kgo.FirstErrPromise
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		c.Produce(ctx, &kgo.Record{Key: []byte("bench"), Value: append([]byte(nil), lines.Bytes()...)}, failed.Promise())
	}
	if err := c.Flush(ctx); err != nil {
		return fmt.Errorf("cannot write to %s: %w", broker, err)
	}
	if err := failed.Err(); err != nil {
		return fmt.Errorf("cannot write to %s: %w", broker, err)
	}
	return lines.Err()
}
