package swarm

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/moby/swarmkit/v2/api"

	"tracecheck/ingest/swarm/object"
	"tracecheck/ingest/swarm/swarmtest"
	"tracecheck/ingest/swarm/wire"
)

// A manager that has restarted tells its log again, and may not have reached yet
// what was recorded. Its lists are the leader's.
func TestRestartedManager(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		behind uint64 // entries that the manager has yet to get
		late   time.Duration
		stays  bool // the process goes on; else another one goes on from its position
		twice  bool // the manager goes away again before it has caught up
	}{
		"it has its whole log":              {0, 0, true, false},
		"it lacks a deletion":               {1, 100 * time.Millisecond, true, false},
		"it lacks a deletion, and restarts": {1, 200 * time.Millisecond, true, true},
		"it lacks what came meanwhile":      {4, 0, true, false},
		"it lacks what was recorded":        {7, 0, true, false},
		"it is late":                        {7, 200 * time.Millisecond, true, false},
		"another process":                   {0, 0, false, false},
		"another process, and it is behind": {3, 0, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := swarmtest.New(t)
			f.Set(func(s *swarmtest.Settings) { s.Follower = true })
			f.SetLimit(3)
			f.Commit(swarmtest.Create(swarmtest.Service("s1", 1)), swarmtest.Create(swarmtest.Service("s2", 1)))
			f.SetLimit(4)
			p := record(t, f)
			p.wait(object.OpSnapshot, "s1")
			task := swarmtest.Task("t1", "s1", 1, api.TaskStateNew)
			f.Commit(swarmtest.Create(task))
			f.SetLimit(5)
			task.Status.State = api.TaskStatePending
			f.Commit(swarmtest.Update(task), swarmtest.Remove(swarmtest.Service("s2", 1)))
			p.wait(object.OpUpdate, "t1")
			if !test.stays {
				p.end()
			}
			f.Stop()
			meanwhile := []string{}
			f.Unseen() // of what is not recorded
			if test.stays {
				task.Status.State, task.NodeID = api.TaskStateAssigned, "n1"
				f.Commit(swarmtest.Update(task))
				f.Commit(swarmtest.Create(swarmtest.Service("s3", 1)))
				f.Commit(swarmtest.Remove(swarmtest.Service("s1", 1)))
				meanwhile = []string{"update t1", "create s3", "delete s1"}
			}
			f.Behind(test.behind)
			f.Start()
			catchUp := time.AfterFunc(100*time.Millisecond+test.late, f.CatchUp)
			defer catchUp.Stop()
			if !test.stays {
				p = p.goOn(f, -1)
			}
			if test.twice {
				time.Sleep(150 * time.Millisecond)
				f.Stop()
				f.Start()
			}
			time.Sleep(200*time.Millisecond + test.late)
			f.Commit(swarmtest.Create(swarmtest.Service("last", 1)))
			p.waitFor("the last service", func() bool {
				return slices.ContainsFunc(p.lines, func(l object.Line) bool { return l.ID == "last" })
			})
			p.checkSteps(f, 0, slices.Concat([]string{"create t1", "update t1, delete s2"}, meanwhile, []string{"create last"})...)
			if len(p.metas) != 1 || p.metas[0].limit != 5 {
				t.Errorf("meta lines %v, want one that states 5", p.metas)
			}
		})
	}
}

// A recording that begins at a manager that has just restarted begins once.
func TestBeginAtRestartedManager(t *testing.T) {
	t.Parallel()
	f := swarmtest.New(t)
	f.Set(func(s *swarmtest.Settings) { s.Follower = true })
	f.SetLimit(3)
	for i := range 20 {
		f.Commit(swarmtest.Create(swarmtest.Service(fmt.Sprint("s", i), 1)))
	}
	f.Commit(swarmtest.Remove(swarmtest.Service("s3", 1)))
	f.Commit(swarmtest.Update(swarmtest.Node("n1", api.NodeStatus_DOWN)))
	f.SetLimit(4)
	f.Behind(7)
	catchUp := time.AfterFunc(150*time.Millisecond, f.CatchUp)
	defer catchUp.Stop()
	p := record(t, f)
	p.wait(object.OpSnapshot, "s19")
	f.Commit(swarmtest.Create(swarmtest.Service("last", 1)))
	p.wait(object.OpCreate, "last")
	p.checkSteps(f, 0, "create last")
	if len(p.metas) != 0 {
		t.Errorf("meta lines %v, want none: the first states 4", p.metas)
	}
}

// The lists of a new leader may be older than what the recorded manager has reported.
func TestNewLeaderLists(t *testing.T) {
	t.Parallel()
	start := func(t *testing.T) *swarmtest.Manager {
		f := swarmtest.New(t)
		f.Set(func(s *swarmtest.Settings) { s.Follower = true })
		for _, id := range []string{"t1", "t2"} {
			f.Commit(swarmtest.Create(swarmtest.Task(id, "s", 1, api.TaskStateNew)))
		}
		return f
	}
	change := func(f *swarmtest.Manager) {
		f.Commit(swarmtest.Update(swarmtest.Task("t1", "s", 1, api.TaskStateRunning)))
		f.Commit(swarmtest.Remove(swarmtest.Task("t2", "s", 1, api.TaskStateNew)))
		f.Commit(swarmtest.Create(swarmtest.Service("s2", 1)))
	}
	t.Run("begin", func(t *testing.T) {
		f := start(t)
		f.NewLeader()
		change(f)
		p := record(t, f)
		p.wait(object.OpSnapshot, "n1")
		f.Applied()
		f.Commit(swarmtest.Create(swarmtest.Service("last", 1)))
		p.wait(object.OpCreate, "last")
		p.checkSteps(f, 0, "create last")
	})
	t.Run("resume", func(t *testing.T) {
		f := start(t)
		p := record(t, f)
		p.wait(object.OpSnapshot, "n1")
		f.NewLeader()
		change(f)
		p.wait(object.OpCreate, "s2")
		f.Stop()
		f.Start()
		f.Commit(swarmtest.Create(swarmtest.Service("last", 1)))
		p.wait(object.OpCreate, "last")
		f.Applied()
		p.checkSteps(f, 0, "update t1", "delete t2", "create s2", "create last")
	})
}

// A manager that never reaches what was recorded is not waited for without end: its
// swarm was restored from a backup.
func TestManagerStaysBehind(t *testing.T) {
	t.Parallel()
	f, p := begin(t)
	f.Commit(swarmtest.Create(swarmtest.Service("s1", 1)))
	p.wait(object.OpCreate, "s1")
	f.Stop()
	f.Behind(1)
	f.Start()
	p.wait(object.OpSnapshot, "s1")
	p.check(f, 1)
}

// What a manager repeats does not bring an old history limit back.
func TestOldHistoryLimit(t *testing.T) {
	t.Parallel()
	at := func(version uint64, limit int64) changes {
		c := &api.Cluster{ID: "c"}
		c.Meta.Version.Index, c.Spec.Orchestration.TaskHistoryRetentionLimit = version, limit
		return changes{events: []*wire.Event{{Action: wire.Update, Object: swarmtest.Sent(t, c)}}}
	}
	var s Source
	for _, test := range []struct {
		version     uint64
		limit, want int64
	}{{7, 3, 3}, {9, 4, 4}, {7, 3, 4}, {9, 4, 4}, {12, 5, 5}} {
		if s.noteLimit(at(test.version, test.limit)); s.now != test.want {
			t.Errorf("after %d of version %d the limit is %d, want %d", test.limit, test.version, s.now, test.want)
		}
	}
}
