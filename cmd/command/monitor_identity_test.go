//go:build unix

package command

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"

	"tracecheck/ingest/kafka/kafkatest"
)

// A topic that was deleted and created again, and is longer than the old one was,
// is not taken for the old one, whatever keeps the checkpoints; nor is one of the
// same name in another cluster.
func TestMonitorOfAnotherTopic(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, want string
		flags      func(r *rig) []string
		change     func(r *rig, c *kfake.Cluster)
	}{
		{"file-created-again", "the topic was deleted and recreated", inFile, createdAgain},
		{"topic-created-again", "the topic was deleted and recreated", inTopic, createdAgain},
		{"file-another-cluster", "it belongs to the cluster west, but this is the cluster east", inFile, elsewhere},
	} {
		t.Run(c.name, func(t *testing.T) {
			cluster := kafkatest.Start(t, kfake.ClusterID("west"))
			r := newRig(t, cluster.ListenAddrs(), 1)
			lines := topicLines(t, 64, 600)
			r.produce(lines[:100], 0)
			flags := append(c.flags(r), "--spec", "swarmkit")
			p := r.start(flags...)
			r.caughtUp(p)
			r.stop(p)
			c.change(r, cluster)
			r.produce(lines, 0)
			p = r.start(flags...)
			if err := <-p.ended; err == nil || p.cmd.ProcessState.ExitCode() != 2 {
				t.Errorf("it ended with %v", err)
			}
			if said := p.stderr.String(); !strings.Contains(said, c.want) || !strings.Contains(said, "--start-over") {
				t.Errorf("it said %s, want %q", said, c.want)
			}
			p = r.start(append(flags, "--start-over")...)
			r.caughtUp(p)
			r.stop(p)
		})
	}
}

func inFile(r *rig) []string { return []string{"--checkpoint", filepath.Join(r.dir, "state")} }

func inTopic(r *rig) []string { return []string{"--checkpoint-topic", r.topic + "-state"} }

func createdAgain(r *rig, _ *kfake.Cluster) {
	kafkatest.CreateAgain(r.t, r.client, r.topic, int32(r.partitions), nil)
	r.client = kafkatest.Client(r.t, r.brokers) // the old one knows the topic by its id
	r.ends = make([]int64, r.partitions)
}

func elsewhere(r *rig, _ *kfake.Cluster) {
	other := newRig(r.t, kafkatest.Start(r.t, kfake.ClusterID("east")).ListenAddrs(), 1)
	r.brokers, r.client, r.ends = other.brokers, other.client, other.ends
	kafkatest.CreateTopic(r.t, r.client, r.topic, int32(r.partitions))
}
