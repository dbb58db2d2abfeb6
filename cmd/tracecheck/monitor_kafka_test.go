package main

import (
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"tracecheck/ingest/kafka/kafkatest"
	"tracecheck/monitor/monitortest"
)

// The scenarios of a monitor of topics, each with an embedded and a real
// cluster: whatever happens, what is told is what one undisturbed validate of the
// same messages finds.

// topicLines is what the topics of the tests have.
func topicLines(t *testing.T, seed uint64, events int) []string {
	return monitortest.Faulty(t, "swarmkit", seed, 30, events, 60)
}

func TestMonitorKilled(t *testing.T) { killedAtRandom(t, kafkatest.Start(t).ListenAddrs(), 8) }

func TestMonitorRebalance(t *testing.T) { rebalance(t, kafkatest.Start(t).ListenAddrs()) }

func TestRealMonitorKilled(t *testing.T) { killedAtRandom(t, kafkatest.Real(t), 20) }

func TestRealMonitorRebalance(t *testing.T) { rebalance(t, kafkatest.Real(t)) }

// killedAtRandom kills one monitor, which keeps a file, at random moments, and
// now and then stops it properly.
func killedAtRandom(t *testing.T, brokers []string, times int) {
	r := newRig(t, brokers, 3)
	rng := rand.New(rand.NewPCG(6, 1))
	lines := topicLines(t, 61, 12_000)
	produced := make(chan struct{})
	go func() {
		defer close(produced)
		r.produce(lines, 12_000/(times/2))
	}()
	flags := []string{"--checkpoint", filepath.Join(r.dir, "state"), "--spec", "swarmkit"}
	for n := range times {
		p := r.start(flags...)
		time.Sleep(time.Duration(rng.IntN(1000)) * time.Millisecond) // the moment, not a wait for something
		if n%4 == 3 {
			r.stop(p)
		} else {
			r.kill(p)
		}
	}
	<-produced
	p := r.start(flags...)
	r.caughtUp(p)
	r.stop(p)
	r.same("--spec", "swarmkit")
}

// rebalance has three monitors in a group, of which one dies, and one joins.
func rebalance(t *testing.T, brokers []string) {
	r := newRig(t, brokers, 6)
	lines := topicLines(t, 62, 12_000)
	produced := make(chan struct{})
	go func() {
		defer close(produced)
		r.produce(lines, 1000)
	}()
	flags := []string{"--group", r.topic, "--checkpoint-topic", r.topic + "-state", "--spec", "swarmkit"}
	a, b, c := r.start(flags...), r.start(flags...), r.start(flags...)
	time.Sleep(3 * time.Second) // so that they are at work
	r.kill(b)
	time.Sleep(2 * time.Second)
	d := r.start(flags...)
	time.Sleep(2 * time.Second)
	r.stop(a)
	<-produced
	r.caughtUp(c, d)
	r.stop(c)
	r.stop(d)
	r.same("--spec", "swarmkit")
}
