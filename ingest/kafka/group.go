package kafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"go.uber.org/zap"

	"tracecheck/internal/remind"
)

// Group are the settings of a member of a consumer group. One member at a time owns a
// partition.
type Group struct {
	ID        string
	Session   time.Duration // the time without a heartbeat after which a member counts as dead; 0: 30 s
	Heartbeat time.Duration // the interval of heartbeats, which also report a rebalance; 0: a tenth of Session, at most 3 s
	Rebalance time.Duration // how long a member may take to give up its partitions; 0: 1 min
	Watch     time.Duration // the interval of looking for new partitions; 0: 5 s
}

const (
	defaultSession   = 30 * time.Second
	defaultRebalance = time.Minute
	defaultWatch     = 5 * time.Second
	// beats is the default number of heartbeats in a session. slowest is the longest
	// default interval between them.
	beats   = 10
	slowest = 3 * time.Second
	// rejoin is how long to wait when joining has failed.
	rejoin = time.Second
	// coordinatorAnswer is how long the coordinator may take to answer.
	coordinatorAnswer = 5 * time.Second
	// mostShort bounds consecutive short generations, before the next one waits for
	// rejoin. If the brokers do not agree on the partitions yet, each generation ends early.
	mostShort = 5
	// patience is how long leaving waits for a rebalance in progress.
	patience = 5 * time.Second
)

// Claim is a partition that this member owns.
type Claim struct {
	Topic      string
	Partition  int
	Generation int32 // of the group
	Together   int   // number of partitions that this member owns in the generation
	commit     func(offset int64) error
}

// Commit commits the offset to the group, for tools that show the lag. It never changes
// where reading resumes. It returns an error if this member no longer owns the partition.
func (c *Claim) Commit(offset int64) error { return c.commit(offset) }

// Join joins the group, and leaves it when ctx ends. It calls own for each assigned partition,
// on a separate goroutine. It ends own's ctx when the partition must be given up. Other
// members get the partition when own has returned, or after Rebalance. Join waits for
// unreachable brokers. It returns nil when ctx ends, the error of own, or why it cannot be a
// member.
func (s *Source) Join(ctx context.Context, g Group, own func(ctx context.Context, c *Claim) error) error {
	m := &member{source: s, group: g.withDefaults(), own: own}
	config, err := m.config()
	if err != nil {
		return err
	}
	cg, err := kafkago.NewConsumerGroup(*config)
	if err != nil {
		return fmt.Errorf("cannot join the group %s: %w", g.ID, err)
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
	going  sync.WaitGroup // running calls of own
	id     string         // as the brokers know it; "": not known
	wires  wires

	mu       sync.Mutex
	failed   error // the first error of own
	assigned *int  // number of partitions that it assigned when it last was the leader; nil: it was not, or they have changed
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
		GroupBalancers: []kafkago.GroupBalancer{
			counting{kafkago.RangeGroupBalancer{}, m}, counting{kafkago.RoundRobinGroupBalancer{}, m},
		},
	}, nil
}

// run takes part in one generation after the other. Each one assigns the partitions again.
// It returns nil when ctx ends.
func (m *member) run(ctx context.Context, cg *kafkago.ConsumerGroup) error {
	log := m.source.opts.Log.With(zap.String("group", m.group.ID))
	var away remind.Reminder
	short := 0
	var began time.Time // of the generation
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
			return m.source.explain("join the group "+m.group.ID, err)
		case err != nil:
			if !errors.Is(err, kafkago.RebalanceInProgress) && away.Due(time.Now()) {
				log.Warn("cannot join the group; trying again", zap.String("error", m.source.hint(err)))
			}
			continue
		}
		if short++; time.Since(began) > 2*rejoin {
			short = 0
		}
		away.Over()
		began, m.id = time.Now(), gen.MemberID
		m.watch(gen)
		n := 0
		for _, partitions := range gen.Assignments {
			n += len(partitions)
		}
		for topic, partitions := range gen.Assignments {
			for _, p := range partitions {
				m.start(ctx, gen, topic, p.ID, n)
			}
		}
		log.Info("joined the group", zap.Int32("generation", gen.ID), zap.Int("partitions", n))
	}
}

// counting is a balancer that notes how many partitions it assigns.
type counting struct {
	kafkago.GroupBalancer
	m *member
}

func (c counting) AssignGroups(members []kafkago.GroupMember, partitions []kafkago.Partition) kafkago.GroupMemberAssignments {
	n := 0
	for _, p := range partitions {
		if slices.Contains(c.m.source.opts.Topics, p.Topic) {
			n++
		}
	}
	c.m.mu.Lock()
	c.m.assigned = &n
	c.m.mu.Unlock()
	return c.GroupBalancer.AssignGroups(members, partitions)
}

// watch ends a generation that this member leads, if the topics no longer have the
// partitions that it has assigned. The library's own watch compares with those at its start,
// and so misses partitions that are added just before. If another member leads by now, this
// ends one generation at most.
func (m *member) watch(gen *kafkago.Generation) {
	m.mu.Lock()
	assigned := m.assigned
	m.mu.Unlock()
	if assigned == nil {
		return
	}
	gen.Start(func(over context.Context) {
		tick := time.NewTicker(m.group.Watch)
		defer tick.Stop()
		for {
			select {
			case <-over.Done():
				return
			case <-tick.C:
			}
			n, err := m.source.existing(over)
			if err != nil || n == *assigned {
				continue
			}
			m.mu.Lock()
			if m.assigned == assigned {
				m.assigned = nil
			}
			m.mu.Unlock()
			return
		}
	})
}

// start calls own for a partition until the generation ends.
func (m *member) start(ctx context.Context, gen *kafkago.Generation, topic string, partition, together int) {
	c := &Claim{Topic: topic, Partition: partition, Generation: gen.ID, Together: together, commit: func(offset int64) error {
		return gen.CommitOffsets(map[string]map[int]int64{topic: {partition: offset}})
	}}
	m.going.Add(1)
	gen.Start(func(over context.Context) {
		defer m.going.Done()
		if over.Err() != nil {
			return // the group no longer waits, and another member may own the partition
		}
		// Not derived from ctx: when ctx ends, leave the group first, so that the
		// library does not join it again.
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

// leave ends the generation, waits for own, and leaves the group.
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
	// It is still joining, and waits for the slowest member.
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

// joining reports whether another attempt to join may succeed.
func joining(err error) bool {
	if e, ok := errors.AsType[kafkago.Error](err); ok {
		switch e {
		case kafkago.RebalanceInProgress, kafkago.UnknownMemberId, kafkago.IllegalGeneration, kafkago.MemberIDRequired:
			return true
		}
	}
	return passing(err, true)
}
