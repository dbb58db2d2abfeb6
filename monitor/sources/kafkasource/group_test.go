package kafkasource

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"tracecheck/ingest/kafka"
	"tracecheck/ingest/kafka/kafkatest"
	"tracecheck/monitor"
)

const groupTopic = "t"

func groupCluster(t *testing.T, partitions int32) *kfake.Cluster {
	return kafkatest.Start(t, kfake.SeedTopics(partitions, groupTopic), kfake.GroupMinSessionTimeout(100*time.Millisecond))
}

// aSession lasts longer than any test, so that a member that is gone without a
// word is missed.
const aSession = 4 * time.Minute

// Members join and leave in order: no partition has two at a time, and no message
// is judged twice, or left out.
func TestMembersJoinAndLeave(t *testing.T) {
	t.Parallel()
	testJoinAndLeave(t, groupCluster(t, 6).ListenAddrs(), groupTopic)
}

func testJoinAndLeave(t *testing.T, brokers []string, topic string) {
	f := newFleet(t, brokers, topic, aSession)
	stop := f.produce(6)
	a := f.start("a")
	f.shares(map[*member]int{a: 6})
	b := f.start("b")
	f.shares(map[*member]int{a: 3, b: 3})
	c := f.start("c")
	f.shares(map[*member]int{a: 2, b: 2, c: 2})
	b.leave()
	f.shares(map[*member]int{a: 3, c: 3})
	a.leave()
	f.shares(map[*member]int{c: 6})
	d := f.start("d")
	f.shares(map[*member]int{c: 3, d: 3})
	each := stop()
	f.judgedAll(6, each)
	c.leave()
	d.leave()
	f.committed(6, each)
}

// committed checks what the group knows of how far it is.
func (f *fleet) committed(partitions int, each int64) {
	f.t.Helper()
	req := kmsg.NewPtrOffsetFetchRequest()
	req.Group = f.group.ID
	topic := kmsg.NewOffsetFetchRequestTopic()
	topic.Topic = f.topic
	one := kmsg.NewOffsetFetchRequestGroup()
	one.Group = f.group.ID
	grouped := kmsg.NewOffsetFetchRequestGroupTopic()
	grouped.Topic = f.topic
	for p := range partitions {
		topic.Partitions = append(topic.Partitions, int32(p))
		grouped.Partitions = append(grouped.Partitions, int32(p))
	}
	one.Topics = append(one.Topics, grouped)
	req.Topics, req.Groups = append(req.Topics, topic), append(req.Groups, one)
	res, err := req.RequestWith(f.t.Context(), kafkatest.Client(f.t, f.brokers))
	if err != nil {
		f.t.Fatal(err)
	}
	got := map[int32]int64{}
	for _, t := range res.Topics {
		for _, p := range t.Partitions {
			got[p.Partition] = p.Offset
		}
	}
	for _, g := range res.Groups {
		for _, t := range g.Topics {
			for _, p := range t.Partitions {
				got[p.Partition] = p.Offset
			}
		}
	}
	for p := range partitions {
		if got[int32(p)] != each {
			f.t.Errorf("partition %d: offset %d is committed, want %d", p, got[int32(p)], each)
		}
	}
}

// A member that is cut off is missed after a session, and what it judges from
// then on does not count; it comes back as a new one.
func TestMemberIsCutOff(t *testing.T) {
	t.Parallel()
	// Long enough that a busy machine does not miss the others.
	testCutOff(t, groupCluster(t, 6).ListenAddrs(), groupTopic, 4*time.Second)
}

func testCutOff(t *testing.T, brokers []string, topic string, session time.Duration) {
	f := newFleet(t, brokers, topic, session)
	stop := f.produce(6)
	a, b := f.start("a"), f.start("b")
	c := f.start("c")
	f.shares(map[*member]int{a: 2, b: 2, c: 2})
	b.cutOff()
	f.shares(map[*member]int{a: 3, c: 3})
	b.wire.sever(false)
	f.shares(map[*member]int{a: 2, b: 2, c: 2})
	a.cutOff()
	c.cutOff()
	f.shares(map[*member]int{b: 6})
	each := stop()
	f.judgedAll(6, each)
	b.leave()
	a.stop() // with no network
	c.stop()
	<-a.done
	<-c.done
}

// The brokers are gone for a while, with what they knew of connections.
func TestBrokerRestarts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	port := kafkatest.Port(t)
	first, err := kfake.NewCluster(kfake.Ports(port), kfake.SeedTopics(4, groupTopic), kfake.DataDir(dir), kfake.GroupMinSessionTimeout(time.Second))
	if err != nil {
		t.Fatal(err)
	}
	brokers := first.ListenAddrs()
	f := newFleet(t, brokers, groupTopic, 4*time.Second)
	stop := f.produce(4)
	a, b := f.start("a"), f.start("b")
	f.shares(map[*member]int{a: 2, b: 2})
	each := stop()
	f.judgedAll(4, each)
	first.Close()
	f.await("the members give up", func() bool { return len(f.owners) == 0 })
	second, err := kfake.NewCluster(kfake.Ports(port), kfake.DataDir(dir), kfake.GroupMinSessionTimeout(time.Second))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(second.Close)
	f.shares(map[*member]int{a: 2, b: 2})
	client := kafkatest.Client(t, brokers)
	for p := range 4 {
		kafkatest.Produce(t, client, kafkatest.Message(groupTopic, p, keyOf(p), event(each)))
	}
	f.judgedAll(4, each+1)
	a.leave()
	b.leave()
}

// New partitions are dealt out too.
func TestTopicGrowsInGroup(t *testing.T) {
	t.Parallel()
	c := groupCluster(t, 2)
	f := newFleet(t, c.ListenAddrs(), groupTopic, aSession)
	a, b := f.start("a"), f.start("b")
	f.shares(map[*member]int{a: 1, b: 1})
	client := kafkatest.Client(t, c.ListenAddrs())
	kafkatest.Grow(t, client, groupTopic, 6)
	f.shares(map[*member]int{a: 3, b: 3})
	for p := range 6 {
		kafkatest.Produce(t, client, kafkatest.Message(groupTopic, p, keyOf(p), event(0)))
	}
	f.judgedAll(6, 1)
	a.leave()
	b.leave()
}

// A member that is to leave while the group waits for a slow one does not wait.
func TestMemberLeavesWhileJoining(t *testing.T) {
	t.Parallel()
	c := groupCluster(t, 4)
	f := newFleet(t, c.ListenAddrs(), groupTopic, aSession)
	f.group.Rebalance = aSession
	a, b := f.start("a"), f.start("b")
	f.shares(map[*member]int{a: 2, b: 2})
	release := make(chan struct{})
	f.locked(func() { f.slow[a] = release })
	d := f.start("d")
	if _, err := c.WaitGroupInfo(t.Context(), f.group.ID, func(g *kfake.GroupInfo) bool { return g.State == "PreparingRebalance" }); err != nil {
		t.Fatal(err)
	}
	f.await("b gives its partitions up", func() bool {
		for _, owner := range f.owners {
			if owner == b {
				return false
			}
		}
		return true
	})
	b.stop()
	d.leave() // which has no name yet
	b.leave() // which has one
	f.locked(func() { delete(f.slow, a) })
	close(release)
	// d may be missed by its session only, but b has said good-bye.
	if _, err := c.WaitGroupInfo(t.Context(), f.group.ID, func(g *kfake.GroupInfo) bool { return len(g.Members) <= 2 }); err != nil {
		t.Fatal(err)
	}
}

// An error of who judges ends the run, and the group is left.
func TestJudgeFails(t *testing.T) {
	t.Parallel()
	c := groupCluster(t, 4)
	f := newFleet(t, c.ListenAddrs(), groupTopic, aSession)
	for _, group := range []string{"", f.group.ID} {
		s, err := Open(Options{
			Kafka: kafka.Options{Brokers: c.ListenAddrs(), Topics: []string{groupTopic}},
			Group: kafka.Group{ID: group, Session: aSession, Heartbeat: 100 * time.Millisecond},
		})
		if err != nil {
			t.Fatal(err)
		}
		broken := errors.New("broken")
		err = s.Run(t.Context(), func(ctx context.Context, p monitor.Part) error {
			if p.Name() == "kafka:t/2" {
				return broken
			}
			<-ctx.Done()
			return ctx.Err()
		})
		if !errors.Is(err, broken) {
			t.Errorf("group %q: got %v", group, err)
		}
		s.Close()
	}
	a := f.start("a") // at once
	f.shares(map[*member]int{a: 4})
	a.leave()
}

// What waiting does not mend is reported.
func TestGroupFails(t *testing.T) {
	t.Parallel()
	const secret = "hunter2hunter2"
	open := groupCluster(t, 1).ListenAddrs()
	acls := kafkatest.Start(t, kfake.SeedTopics(1, groupTopic), kfake.EnableSASL(), kfake.EnableACLs(), kfake.Superuser("PLAIN", "root", secret),
		kfake.User("PLAIN", "eve", secret,
			kfake.ACL{Resource: kmsg.ACLResourceTypeTopic, Name: groupTopic, Pattern: kmsg.ACLResourcePatternTypeLiteral, Operation: kmsg.ACLOperationAll, Allow: true})).ListenAddrs()
	login := func(user, password string) kafka.Security {
		return kafka.Security{Mechanism: "plain", User: user, Password: kafka.Password(password)}
	}
	for name, c := range map[string]struct {
		kafka kafka.Options
		group kafka.Group
		want  string
	}{
		"an impossible session": {kafka.Options{Brokers: open}, kafka.Group{ID: "g", Session: 50 * time.Millisecond}, "group.min.session.timeout.ms"},
		"no right to the group": {kafka.Options{Brokers: acls, Security: login("eve", secret)}, kafka.Group{ID: "g"}, "the right to read the group"},
		"a wrong password":      {kafka.Options{Brokers: acls, Security: login("eve", "wrong"), Timeout: 3 * time.Second}, kafka.Group{ID: "g"}, "check the user, the password and the mechanism"},
	} {
		c.kafka.Topics = []string{groupTopic}
		s, err := Open(Options{Kafka: c.kafka, Group: c.group})
		if err != nil {
			t.Fatal(err)
		}
		err = s.Run(t.Context(), func(ctx context.Context, _ monitor.Part) error { <-ctx.Done(); return ctx.Err() })
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
		s.Close()
	}
}

// A topic that goes is reported by a group, too, which is not joined again and again
// meanwhile.
func TestTopicGoesInGroup(t *testing.T) {
	t.Parallel()
	c := groupCluster(t, 2)
	joins := 0
	c.ControlKey(int16(kmsg.JoinGroup), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		joins++
		return nil, nil, false
	})
	s, err := Open(Options{
		Kafka: kafka.Options{Brokers: c.ListenAddrs(), Topics: []string{groupTopic}},
		Group: kafka.Group{ID: "g", Session: aSession, Heartbeat: 100 * time.Millisecond},
		Watch: 200 * time.Millisecond, Grace: 2 * time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	gone := sync.OnceFunc(func() { go c.DeleteTopic(groupTopic) })
	err = s.Run(t.Context(), func(ctx context.Context, p monitor.Part) error {
		gone()
		<-ctx.Done()
		return ctx.Err()
	})
	if err == nil || !strings.Contains(err.Error(), "check the topic's name") {
		t.Errorf("got %v", err)
	}
	if joins > 20 {
		t.Errorf("the group was joined %d times", joins)
	}
}
