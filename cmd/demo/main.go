// Command demo is a small cluster for a trial of the monitor: an embedded Kafka with a topic. It
// writes the steps of some swarms to the topic. A few of the steps are wrong.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"regexp"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"tracecheck/internal/generate"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var d demo
	flag.IntVar(&d.port, "port", 19092, "where the broker listens, on 127.0.0.1")
	flag.StringVar(&d.topic, "topic", "events", "the topic's name")
	flag.IntVar(&d.streams, "streams", 20, "how many swarms there are")
	flag.IntVar(&d.rate, "rate", 200, "events a second")
	flag.IntVar(&d.wrong, "wrong", 2000, "one event in so many is wrong; 0: none")
	flag.Int64Var(&d.events, "events", 1_000_000_000, "stop after so many events")
	flag.Uint64Var(&d.seed, "seed", 1, "what happens")
	flag.Parse()
	if err := d.run(ctx, os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "demo: %v\n", err)
		os.Exit(1)
	}
}

type demo struct {
	port    int
	topic   string
	streams int
	rate    int
	wrong   int
	events  int64
	seed    uint64
}

const partitions = 4

// run writes to the topic until ctx ends.
func (d *demo) run(ctx context.Context, out io.Writer) error {
	if d.port < 0 || d.streams < 1 || d.rate < 1 || d.wrong < 0 || d.events < 1 {
		return errors.New("a flag is out of range: see -help")
	}
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.Ports(d.port), kfake.SeedTopics(partitions, d.topic))
	if err != nil {
		return err
	}
	defer cluster.Close()
	broker := cluster.ListenAddrs()[0]
	fmt.Fprintf(out, "A Kafka broker listens at %s. The demo writes %d events a second to its topic %s.\nTo judge them, run this command in another terminal:\n\n"+
		"  go run ./cmd/tracecheck monitor --kafka %[1]s --topic %[3]s --spec swarmkit --checkpoint monitor.db\n\nCtrl-C ends the demo.\n",
		broker, d.rate, d.topic)
	client, err := kgo.NewClient(kgo.SeedBrokers(broker))
	if err != nil {
		return err
	}
	defer client.Close()
	lines, made := io.Pipe()
	defer lines.Close() // this ends the generator
	go func() {
		_, err := generate.Run(ctx, generate.Options{
			Specs: []string{"swarmkit"}, Events: d.events, Seed: d.seed, Streams: d.streams, Objects: 12,
			Start: time.Now(), Interval: time.Second / time.Duration(d.rate),
		}, made)
		made.CloseWithError(err)
	}()
	err = d.send(ctx, client, lines)
	if ctx.Err() != nil {
		return nil
	}
	if err == nil {
		<-ctx.Done() // the topic exists until the demo ends
	}
	return err
}

var (
	named = regexp.MustCompile(`"stream":"([^"]*)"`)
	state = regexp.MustCompile(`"state":"[a-z]+"`)
	at    = regexp.MustCompile(`"time":"[^"]*"`)
)

// dated returns the line with the time now. The generator's own times are slower than the events
// are sent, since all events of a step have one time.
func dated(line []byte, now time.Time) []byte {
	return at.ReplaceAll(line, []byte(`"time":"`+now.UTC().Format(time.RFC3339Nano)+`"`))
}

// send sends the lines at the rate.
func (d *demo) send(ctx context.Context, client *kgo.Client, lines io.Reader) error {
	r := rand.New(rand.NewPCG(d.seed, 1))
	pause := time.NewTicker(time.Second / 20)
	defer pause.Stop()
	scan := bufio.NewScanner(lines)
	left := 0
	for scan.Scan() {
		if left == 0 {
			select {
			case <-pause.C:
			case <-ctx.Done():
				return nil
			}
			left = max(1, d.rate/20)
		}
		left--
		line := scan.Bytes()
		var key []byte
		if m := named.FindSubmatch(line); m != nil {
			key = append(key, m[1]...)
		}
		if d.wrong > 0 && r.IntN(d.wrong) == 0 {
			line = state.ReplaceAll(line, []byte(`"state":"orphaned"`))
		}
		value := dated(line, time.Now()) // a copy
		client.Produce(ctx, &kgo.Record{Topic: d.topic, Key: key, Value: value}, func(_ *kgo.Record, err error) {
			if err != nil && ctx.Err() == nil {
				fmt.Fprintln(os.Stderr, "demo: an event was lost: "+strconv.Quote(err.Error()))
			}
		})
	}
	return scan.Err()
}
