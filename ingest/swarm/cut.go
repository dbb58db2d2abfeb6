package swarm

import (
	"context"
	"math"
	"time"

	"tracecheck/ingest/swarm/object"
	"tracecheck/ingest/swarm/wire"
)

func versionOf(o wire.Object) uint64 { return o.GetMeta().Version.Index }

// objectOf returns the event's object, or nil if its kind is not recorded.
func objectOf(e *wire.Event) wire.Object {
	if _, settings := e.Object.(*wire.Cluster); settings {
		return nil
	}
	return e.Object
}

// cut is the store's content between two transactions.
type cut map[object.Key]wire.Object

// version is the version of its newest object.
func (c cut) version() (newest uint64) {
	for _, o := range c {
		newest = max(newest, versionOf(o))
	}
	return newest
}

// gather applies changes to the cut until there is a pause. The lists may
// already show changes that the watch reports later. A later one contradicts
// the cut, and is detected. Changes before version are repetitions, and do not
// count as a pause. gather returns at least an empty list.
func (s *stream) gather(ctx context.Context, c cut, version uint64, pause time.Duration) ([]changes, error) {
	over := time.NewTimer(pause)
	defer over.Stop()
	since := []changes{}
	for {
		select {
		case msg, ok := <-s.messages:
			if !ok {
				return nil, s.err
			}
			if c.replay(msg) < version {
				over.Reset(pause)
			}
			since = append(since, msg)
		case <-over.C:
			return since, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// replay applies the changes and returns their version, or the highest number
// if none has one.
func (c cut) replay(msg changes) (version uint64) {
	version = math.MaxUint64
	for _, e := range msg.events {
		o := objectOf(e)
		switch {
		case o == nil:
		case e.Action == wire.Remove:
			delete(c, object.KeyOf(o))
		default:
			version = versionOf(o)
			if shown, exists := c[object.KeyOf(o)]; !exists || versionOf(shown) <= version {
				c[object.KeyOf(o)] = o
			}
		}
	}
	return version
}
