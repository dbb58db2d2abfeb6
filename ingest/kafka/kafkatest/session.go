package kafkatest

import (
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// SetSessions sets the session timeout of all group members, which overrides their own. It
// is at least 6 s.
func SetSessions(c *kfake.Cluster, length time.Duration) {
	c.ControlKey(int16(kmsg.JoinGroup), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		req.(*kmsg.JoinGroupRequest).SessionTimeoutMillis = int32(length.Milliseconds())
		return nil, nil, false
	})
}
