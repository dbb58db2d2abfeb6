package swarm

import (
	"errors"

	"tracecheck/ingest/swarm/wire"
)

// errSuspect means that a change may combine several transactions.
var errSuspect = errors.New("the manager may have fallen behind the others")

// maxSilent bounds consecutive versions of unrecorded objects before they are
// suspicious. A follower that is hundreds of versions behind takes over the
// leader's whole store. It reports the difference as one transaction.
const maxSilent = 16

// isSuspect reports whether the transaction may be a whole store that was taken
// over. A transaction with its commit version is safe: it is from the log, or
// from the leader.
func (s *Source) isSuspect(msg changes) bool {
	if msg.version != 0 {
		return false
	}
	for _, e := range msg.events {
		o := objectOf(e)
		if o != nil && e.Action != wire.Remove && versionOf(o) > s.resume+maxSilent {
			return true
		}
	}
	return false
}
