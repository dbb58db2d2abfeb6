//go:build unix

package command

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"tracecheck/ingest/kafka/kafkatest"
	"tracecheck/monitor/monitortest"
)

// The scenarios of a monitor of topics, each with an embedded and a real
// cluster: whatever happens, what is reported is what one undisturbed validate of the
// same messages finds.

// topicLines is what the topics of the tests have.
func topicLines(t *testing.T, seed uint64, events int) []string {
	return monitortest.Faulty(t, "swarmkit", seed, 30, events, 60)
}

func TestMonitorKilled(t *testing.T) {
	t.Parallel()
	r := newRig(t, kafkatest.Start(t).ListenAddrs(), 3)
	r.killedAtRandom(8, topicLines(t, 61, 12_000), r.stateFile(), "--spec", "swarmkit")
}

// aSession is how long the embedded cluster waits for a member: two heartbeats
// long.
const aSession = 6 * time.Second

func TestMonitorRebalance(t *testing.T) {
	t.Parallel()
	c := kafkatest.Start(t)
	kafkatest.SetSessions(c, aSession)
	rebalance(t, c.ListenAddrs())
}

func TestMonitorBrokerAway(t *testing.T) {
	t.Parallel()
	c := kafkatest.Start(t)
	kafkatest.SetSessions(c, aSession)
	b := &embedded{cluster: c}
	c.Control(b.answer)
	away(t, c.ListenAddrs(), b)
}

// A clock that is far ahead of the brokers' ends no monitor whose checkpoints are
// in a topic.
func TestMonitorClockAhead(t *testing.T) {
	t.Parallel()
	c := kafkatest.Start(t)
	r := newRig(t, c.ListenAddrs(), 2)
	r.produce(topicLines(t, 64, 2000), 1000)
	kafkatest.CreateTopic(t, r.client, "state", 2, "cleanup.policy=compact", "retention.ms=-1")
	kafkatest.SetBack(t, c, 3*time.Hour)
	flags := []string{"--checkpoint-topic", "state", "--spec", "swarmkit"}
	for range 2 {
		p := r.start(flags...)
		r.caughtUp(p)
		r.stop(p)
	}
	r.same("--spec", "swarmkit")
}

func TestRealMonitorKilled(t *testing.T) {
	r := newRig(t, kafkatest.Real(t), 3)
	r.killedAtRandom(20, topicLines(t, 61, 12_000), r.stateFile(), "--spec", "swarmkit")
}

func TestRealMonitorRebalance(t *testing.T) { rebalance(t, kafkatest.Real(t)) }

func TestRealMonitorBrokerAway(t *testing.T) {
	brokers := kafkatest.Real(t)
	away(t, brokers, real{t, os.Getenv("TRACECHECK_KAFKA_DIR")})
}

// stateFile keeps checkpoints in a file, and stateTopic in a topic.
func (r *rig) stateFile() []string  { return []string{"--checkpoint", filepath.Join(r.dir, "state")} }
func (r *rig) stateTopic() []string { return []string{"--checkpoint-topic", r.topic + "-state"} }

// killedAtRandom ends one monitor so many times at random moments: three times of four it
// is killed, and else stopped properly. keep states where its checkpoints are, and by what
// judges the lines.
func (r *rig) killedAtRandom(times int, lines, keep []string, by ...string) {
	rng := rand.New(rand.NewPCG(6, 1))
	produced := make(chan struct{})
	go func() {
		defer close(produced)
		r.produce(lines, 2*len(lines)/times)
	}()
	flags := append(keep, by...)
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
	r.same(by...)
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
	r.shared(a, b, c)
	r.kill(b)
	d := r.start(flags...)
	r.shared(a, c, d)
	r.stop(a)
	<-produced
	r.caughtUp(c, d)
	r.stop(c)
	r.stop(d)
	r.same("--spec", "swarmkit")
}

// broker is one that can be taken away.
type broker interface {
	restart()               // at once, without an orderly end
	pause() (resume func()) // it does not answer any more
}

// away has a broker that is paused, and then restarted, under a group of two.
func away(t *testing.T, brokers []string, b broker) {
	r := newRig(t, brokers, 4)
	lines := topicLines(t, 63, 9_000)
	flags := []string{"--group", r.topic, "--checkpoint-topic", r.topic + "-state", "--spec", "swarmkit"}
	x, y := r.start(flags...), r.start(flags...)
	r.produce(lines[:3000], 1500)
	resume := b.pause()
	time.Sleep(3 * time.Second) // the outage
	resume()
	r.produce(lines[3000:6000], 1500)
	b.restart()
	r.produce(lines[6000:], 1500)
	r.caughtUp(x, y)
	r.stop(x)
	r.stop(y)
	r.same("--spec", "swarmkit")
}

// embedded is a cluster in the test's process.
type embedded struct {
	cluster *kfake.Cluster
	state   atomic.Int32
}

const (
	answers = iota
	cuts    // each connection, at each request
	hangs
)

func (e *embedded) answer(kmsg.Request) (kmsg.Response, error, bool) {
	e.cluster.KeepControl()
	switch e.state.Load() {
	case cuts:
		return nil, errors.New("cut"), true
	case hangs:
		e.cluster.SleepControl(func() {
			for e.state.Load() == hangs {
				time.Sleep(10 * time.Millisecond)
			}
		})
	}
	return nil, nil, false
}

func (e *embedded) restart() {
	e.state.Store(cuts)
	time.Sleep(2 * time.Second)
	e.state.Store(answers)
}

func (e *embedded) pause() func() {
	e.state.Store(hangs)
	return func() { e.state.Store(answers) }
}

// real is an Apache Kafka of .ci/kafka.
type real struct {
	t   *testing.T
	dir string
}

func (r real) restart() {
	r.t.Helper()
	if out, err := exec.Command(filepath.Join(r.dir, "restart")).CombinedOutput(); err != nil {
		r.t.Fatalf("%v\n%s", err, out)
	}
}

func (r real) pause() func() {
	r.t.Helper()
	text, err := os.ReadFile(filepath.Join(r.dir, "pid"))
	if err != nil {
		r.t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err == nil {
		err = syscall.Kill(pid, syscall.SIGSTOP)
	}
	if err != nil {
		r.t.Fatal(err)
	}
	return func() {
		if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
			r.t.Error(err)
		}
	}
}
