package kafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"go.uber.org/zap"

	"tracecheck/internal/remind"
)

// Group says how this process is a member of a consumer group, in which each
// partition is one member's at a time.
type Group struct {
	ID        string
	Session   time.Duration // after which the brokers take a silent member for dead; 0: 30 s
	Heartbeat time.Duration // how often to show a sign of life, and learn of a rebalance; 0: a tenth of Session, but no more than 3 s
	Rebalance time.Duration // how long a member may take to give its partitions up; 0: 1 min
	Watch     time.Duration // how often to look for new partitions; 0: 5 s
}

const (
	defaultSession   = 30 * time.Second
	defaultRebalance = time.Minute
	defaultWatch     = 5 * time.Second
	// beats is how many heartbeats there are in a session, and slowest how far
	// apart they are at most, unless Group says otherwise.
	beats   = 10
	slowest = 3 * time.Second
	// rejoin is how long to wait when joining has failed.
	rejoin = time.Second
	// coordinatorAnswer is how long the coordinator may take to answer.
	coordinatorAnswer = 5 * time.Second
	// mostShort is how many generations in a row may be short before the next one
	// waits for rejoin: that of a topic that is gone ends at once.
	mostShort = 5
	// patience is how long a rebalance that is under way may keep a member from
	// leaving.
	patience = 5 * time.Second
)

// Claim is a partition that this member has.
type Claim struct {
	Topic      string
	Partition  int
	Generation int32 // of the group
	Together   int   // how many partitions this member has in that
	commit     func(offset int64) error
}

// Commit tells the group how far the partition was dealt with. It is for tools
// that show the lag: reading goes on where the caller says, whatever the group
// knows. It returns an error when the partition is no longer this member's.
func (c *Claim) Commit(offset int64) error { return c.commit(offset) }

// Join is a member of the group until ctx ends, and leaves then. It calls own for
// each partition that it gets, on a goroutine of its own, and ends own's ctx when
// the partition is to be given up; the others get it when own has returned, or
// has taken longer than Rebalance. It waits for brokers that are away. It returns
// nil when ctx ends; the error of own; or why there is no being a member.
func (s *Source) Join(ctx context.Context, g Group, own func(ctx context.Context, c *Claim) error) error {
	m := &member{source: s, group: g.withDefaults(), own: own}
	config, err := m.config()
	if err != nil {
		return err
	}
	cg, err := kafkago.NewConsumerGroup(*config)
	if err != nil {
		return fmt.Errorf("cannot be a member of the group %s: %w", g.ID, err)
	}
	ctx, m.stop = context.WithCancel(ctx)
	defer m.stop()
	err = m.run(ctx, cg)
	m.leave(cg)
	m.mu.Lock()
	defer m.mu.Unlock()
	return cmp.Or(m.failed, err)
}

func (g Group) withDefaults() Group {
	for _, d := range []struct {
		value *time.Duration
		def   time.Duration
	}{{&g.Session, defaultSession}, {&g.Rebalance, defaultRebalance}, {&g.Watch, defaultWatch}} {
		if *d.value == 0 {
			*d.value = d.def
		}
	}
	if g.Heartbeat == 0 {
		g.Heartbeat = min(g.Session/beats, slowest)
	}
	return g
}

// member is this process in the group.
type member struct {
	source *Source
	group  Group
	own    func(ctx context.Context, c *Claim) error
	stop   context.CancelFunc
	going  sync.WaitGroup // calls of own
	id     string         // as the brokers know it; "": not known
	wires  wires

	mu     sync.Mutex
	failed error // the first of own
}

func (m *member) config() (*kafkago.ConsumerGroupConfig, error) {
	o := &m.source.opts
	config, err := o.Security.tls()
	if err != nil {
		return nil, err
	}
	mechanism, err := o.Security.sasl()
	if err != nil {
		return nil, err
	}
	if m.wires.dial = o.Dial; m.wires.dial == nil {
		m.wires.dial = (&net.Dialer{}).DialContext
	}
	return &kafkago.ConsumerGroupConfig{
		ID: m.group.ID, Brokers: o.Brokers, Topics: o.Topics,
		Dialer: &kafkago.Dialer{
			ClientID: clientID, TLS: config, SASLMechanism: mechanism,
			Timeout: coordinatorAnswer, DialFunc: m.wires.open,
		},
		HeartbeatInterval: m.group.Heartbeat, SessionTimeout: m.group.Session,
		RebalanceTimeout: m.group.Rebalance, JoinGroupBackoff: rejoin, Timeout: coordinatorAnswer,
		WatchPartitionChanges: true, PartitionWatchInterval: m.group.Watch,
	}, nil
}

// run is a member for one generation after the other, in each of which the
// partitions are assigned again. It returns nil when ctx ends.
func (m *member) run(ctx context.Context, cg *kafkago.ConsumerGroup) error {
	log := m.source.opts.Log.With(zap.String("group", m.group.ID))
	var away remind.Reminder
	short := 0
	var began time.Time // the generation
	for {
		if short > mostShort {
			select {
			case <-time.After(rejoin):
			case <-ctx.Done():
			}
		}
		gen, err := cg.Next(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && !joining(err):
			return m.source.explain("be a member of the group "+m.group.ID, err)
		case err != nil:
			if !errors.Is(err, kafkago.RebalanceInProgress) && away.Due(time.Now()) {
				log.Warn("not a member of the group; trying again", zap.String("error", m.source.hint(err)))
			}
			continue
		}
		if short++; time.Since(began) > 2*rejoin {
			short = 0
		}
		away.Over()
		began, m.id = time.Now(), gen.MemberID
		n := 0
		for _, partitions := range gen.Assignments {
			n += len(partitions)
		}
		for topic, partitions := range gen.Assignments {
			for _, p := range partitions {
				m.start(ctx, gen, topic, p.ID, n)
			}
		}
		log.Info("a member of the group", zap.Int32("generation", gen.ID), zap.Int("partitions", n))
	}
}

// start owns a partition, one of so many, as long as the generation lasts.
func (m *member) start(ctx context.Context, gen *kafkago.Generation, topic string, partition, together int) {
	c := &Claim{Topic: topic, Partition: partition, Generation: gen.ID, Together: together, commit: func(offset int64) error {
		return gen.CommitOffsets(map[string]map[int]int64{topic: {partition: offset}})
	}}
	m.going.Add(1)
	gen.Start(func(over context.Context) {
		defer m.going.Done()
		if over.Err() != nil {
			return // nobody waits for us, and the next generation may have the partition
		}
		// Of the generation alone: when ctx ends, the group is left first, so that
		// it is not joined again.
		one, cancel := context.WithCancel(context.WithoutCancel(ctx))
		defer context.AfterFunc(over, cancel)()
		defer cancel()
		if err := m.own(one, c); err != nil && !errors.Is(err, context.Canceled) {
			m.mu.Lock()
			m.failed = cmp.Or(m.failed, err)
			m.mu.Unlock()
			m.stop()
		}
	})
}

// leave ends the generation, waits for own, and tells the group.
func (m *member) leave(cg *kafkago.ConsumerGroup) {
	left := make(chan struct{})
	go func() {
		cg.Close()
		close(left)
	}()
	m.going.Wait()
	select {
	case <-left:
		return
	case <-time.After(patience):
	}
	// It is still joining, which takes as long as the slowest member.
	m.wires.cut()
	if m.id != "" {
		ctx, cancel := context.WithTimeout(context.Background(), coordinatorAnswer)
		defer cancel()
		_, err := m.source.client.LeaveGroup(ctx, &kafkago.LeaveGroupRequest{
			GroupID: m.group.ID, Members: []kafkago.LeaveGroupRequestMember{{ID: m.id}},
		})
		if err != nil {
			m.source.opts.Log.Warn("cannot leave the group; the others wait for the session timeout", zap.String("group", m.group.ID), zap.Error(err))
		}
	}
	<-left
}

// joining reports whether joining may succeed when it is tried again.
func joining(err error) bool {
	if e, ok := errors.AsType[kafkago.Error](err); ok {
		switch e {
		case kafkago.RebalanceInProgress, kafkago.UnknownMemberId, kafkago.IllegalGeneration, kafkago.MemberIDRequired:
			return true
		}
	}
	return passing(err, true)
}
