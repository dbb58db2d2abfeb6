package kafkasource

import (
	"cmp"
	"fmt"
	"maps"

	"tracecheck/ingest/kafka"
	"tracecheck/monitor"
)

// know notes which topics these are. An error says that they are not those that
// were known: what was read of them, and what is to be read, do not go together.
func (s *Source) know(now *kafka.Identity) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.identity
	if was.Cluster != "" && now.Cluster != "" && was.Cluster != now.Cluster {
		return fmt.Errorf("the brokers are those of the cluster %s now, and were of %s: begin over with --start-over, or name brokers of that cluster", now.Cluster, was.Cluster)
	}
	for _, topic := range s.opts.Kafka.Topics {
		if before, id := was.Topics[topic], now.Topics[topic]; before != "" && id != "" && before != id {
			return fmt.Errorf("the topic %s was deleted and created again: its id is %s now, and was %s: begin over with --start-over, or with another file or topic for the checkpoints", topic, id, before)
		}
	}
	// Brokers that are updated begin to tell.
	s.identity.Cluster = cmp.Or(was.Cluster, now.Cluster)
	if s.identity.Topics == nil {
		s.identity.Topics = map[string]string{}
	}
	maps.Copy(s.identity.Topics, now.Topics)
	return nil
}

// Identity says which topic this is.
func (p *part) Identity() monitor.Identity {
	s := p.source
	s.mu.Lock()
	defer s.mu.Unlock()
	return monitor.Identity{Cluster: s.identity.Cluster, Topic: s.identity.Topics[p.claim.Topic]}
}
