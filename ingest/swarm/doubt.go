package swarm

import (
	"errors"

	"github.com/moby/swarmkit/v2/api"
)

// errDoubt says that a change may be the sum of several.
var errDoubt = errors.New("the manager may have fallen behind the others")

// maxSilent is how many versions in a row may be of what is not recorded before
// that is doubted. A follower that is further behind than its leader's log
// reaches, which is hundreds of versions, takes over the leader's whole store,
// and tells the difference as if it were one transaction.
const maxSilent = 16

// doubts reports whether the transaction is one that only the log can tell from
// a whole store taken over. Where the commit's version comes with it, it is
// from the log or from the leader, which takes over nothing.
func (s *Source) doubts(msg changes) bool {
	if msg.version != 0 {
		return false
	}
	for _, e := range msg.events {
		o := objectOf(e)
		if o != nil && e.Action != api.WatchActionKindRemove && versionOf(o) > s.resume+maxSilent {
			return true
		}
	}
	return false
}
