package kafkasource

import (
	"cmp"
	"fmt"
	"maps"

	"tracecheck/ingest/kafka"
	"tracecheck/monitor"
)

// know records the identity of the topics. It returns an error if they are not
// the ones known before: positions of those mean nothing here.
func (s *Source) know(now *kafka.Identity) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.identity
	if was.Cluster != "" && now.Cluster != "" && was.Cluster != now.Cluster {
		return fmt.Errorf("the brokers belong to the cluster %s now, but belonged to %s before: use --start-over, or name brokers of that cluster", now.Cluster, was.Cluster)
	}
	for _, topic := range s.opts.Kafka.Topics {
		if before, id := was.Topics[topic], now.Topics[topic]; before != "" && id != "" && before != id {
			return fmt.Errorf("the topic %s was deleted and recreated (its id is %s now, and was %s): use --start-over, or another file or topic for the checkpoints", topic, id, before)
		}
	}
	// Older brokers do not report these until they are updated.
	s.identity.Cluster = cmp.Or(was.Cluster, now.Cluster)
	if s.identity.Topics == nil {
		s.identity.Topics = map[string]string{}
	}
	maps.Copy(s.identity.Topics, now.Topics)
	return nil
}

// Identity identifies the topic.
func (p *part) Identity() monitor.Identity {
	s := p.source
	s.mu.Lock()
	defer s.mu.Unlock()
	return monitor.Identity{Cluster: s.identity.Cluster, Topic: s.identity.Topics[p.claim.Topic]}
}
