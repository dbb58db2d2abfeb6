package swarm

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/moby/swarmkit/v2/api"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"tracecheck/ingest/swarm/object"
	"tracecheck/ingest/swarm/swarmtest"
	"tracecheck/ingest/swarm/wire"
	"tracecheck/trace"
)

func TestRecord(t *testing.T) {
	t.Parallel()
	f := swarmtest.New(t)
	f.Commit(swarmtest.Create(swarmtest.Service("s0", 1)))
	p := record(t, f)
	p.wait(object.OpSnapshot, "s0")
	f.Commit(swarmtest.Create(swarmtest.Service("s1", 2)))
	f.Commit(swarmtest.Create(swarmtest.Task("t1", "s1", 1, api.TaskStateNew)), swarmtest.Create(swarmtest.Task("t2", "s1", 2, api.TaskStateNew)))
	f.Commit(swarmtest.Update(swarmtest.Task("t1", "s1", 1, api.TaskStatePending)))
	f.Commit(swarmtest.Remove(swarmtest.Task("t2", "s1", 2, api.TaskStateNew)))
	f.Commit(swarmtest.Remove(swarmtest.Service("s1", 2)))
	f.Commit(swarmtest.Update(swarmtest.Node("n1", api.NodeStatus_DOWN)))
	p.wait(object.OpUpdate, "n1")
	p.checkSteps(f, 0, "create s1", "create t1, create t2", "update t1", "delete t2", "delete s1", "update n1")
	var txs []any
	for _, l := range p.lines {
		txs = append(txs, l.Tx)
	}
	if want := []any{nil, nil, 12.0, 13.0, 13.0, 14.0, "14+1", "14+2", 17.0}; !reflect.DeepEqual(txs, want) {
		t.Errorf("tx are %v, want %v", txs, want)
	}
	if text := p.text.String(); strings.Contains(text, swarmtest.Password) {
		t.Errorf("the recording has an environment variable:\n%s", text)
	}
}

// A name that is not text is warned of, and written so that no reader takes it for
// another.
func TestRecordNamesThatAreNoText(t *testing.T) {
	t.Parallel()
	core, logs := observer.New(zap.WarnLevel)
	f := swarmtest.New(t)
	f.Commit(swarmtest.Create(swarmtest.Node("n\xff", api.NodeStatus_READY)))
	p := recordWith(t, Options{Socket: f.Socket, Log: zap.New(core), pace: quick})
	p.wait(object.OpSnapshot, "n1")
	f.Commit(swarmtest.Create(swarmtest.Task("t\uFFFD", "s\xc3", 1, api.TaskStateNew)))
	p.wait(object.OpCreate, "t\uFFFD")
	p.end()
	var refused []string
	for _, text := range strings.Split(strings.TrimSpace(p.text.String()), "\n") {
		var d trace.Decoder
		var ev trace.Event
		if err := d.Decode([]byte(text), trace.Pos{}, &ev); err != nil {
			refused = append(refused, err.Error())
		}
	}
	if want := []string{`id is not text: \udfff is half of a surrogate pair`, `object.service is not text: \udfff is half of a surrogate pair`}; !reflect.DeepEqual(refused, want) {
		t.Errorf("refused are %q, want %q", refused, want)
	}
	var warned []string
	for _, w := range logs.All() {
		m := w.ContextMap()
		warned = append(warned, fmt.Sprintf("%s: %s %q seq %d: %s", w.Message, m["kind"], m["id"], m["seq"], m["error"]))
	}
	const what = "the recording cannot be judged from this line on: "
	if want := []string{what + `node "n\xff" seq 2: id is not valid UTF-8`,
		what + `task "t` + "\uFFFD" + `" seq 3: object.service is not valid UTF-8`}; !reflect.DeepEqual(warned, want) {
		t.Errorf("it warns %q, want %q", warned, want)
	}
	if _, err := Open(t.Context(), Options{Socket: f.Socket, Stream: "\xff", pace: quick}); err == nil || !strings.Contains(err.Error(), "is not valid UTF-8") {
		t.Errorf("a stream's name that is not text: %v", err)
	}
}

// Changes while the lists are made are neither lost nor repeated.
func TestSnapshotIsConsistent(t *testing.T) {
	t.Parallel()
	f := swarmtest.New(t)
	f.Commit(swarmtest.Create(swarmtest.Service("s1", 2)), swarmtest.Create(swarmtest.Task("t1", "s1", 1, api.TaskStateNew)), swarmtest.Create(swarmtest.Task("t2", "s1", 2, api.TaskStateNew)))
	meanwhile := func(kind string) {
		switch kind {
		case object.KindTask: // after the watch began: all lists show it
			f.Commit(swarmtest.Update(swarmtest.Task("t1", "s1", 1, api.TaskStatePending)))
		case object.KindService: // the tasks' list does not
			f.Commit(swarmtest.Remove(swarmtest.Service("s1", 2)), swarmtest.Remove(swarmtest.Task("t2", "s1", 2, api.TaskStateNew)), swarmtest.Create(swarmtest.Task("t3", "s2", 1, api.TaskStateNew)))
		case object.KindNode: // the services' list does not
			f.Commit(swarmtest.Update(swarmtest.Node("n1", api.NodeStatus_DOWN)), swarmtest.Create(swarmtest.Service("s2", 1)))
		}
	}
	f.Set(func(s *swarmtest.Settings) { s.OnList = meanwhile })
	p := record(t, f)
	p.wait(object.OpSnapshot, "t3")
	f.Commit(swarmtest.Update(swarmtest.Task("t3", "s2", 1, api.TaskStatePending)))
	p.wait(object.OpUpdate, "t3")
	p.checkSteps(f, 0, "update t3")
}

func TestResume(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		follower bool // the commits' versions are not known
		repeat   bool
	}{{"leader", false, false}, {"follower", true, false}, {"repeats", false, true}} {
		t.Run(test.name, func(t *testing.T) {
			f := swarmtest.New(t)
			f.Set(func(s *swarmtest.Settings) { s.Follower, s.Repeat = test.follower, test.repeat })
			p := record(t, f)
			p.wait(object.OpSnapshot, "n1")
			f.Commit(swarmtest.Create(swarmtest.Service("s1", 1)))
			f.Commit(swarmtest.Create(swarmtest.Task("t1", "s1", 1, api.TaskStateNew)), swarmtest.Create(swarmtest.Task("t2", "s1", 2, api.TaskStateNew)))
			f.Commit(swarmtest.Remove(swarmtest.Task("t1", "s1", 1, api.TaskStateNew)))
			p.wait(object.OpDelete, "t1")
			f.Stop()
			f.Commit(swarmtest.Update(swarmtest.Task("t2", "s1", 2, api.TaskStatePending)))
			f.Commit(swarmtest.Remove(swarmtest.Task("t2", "s1", 2, api.TaskStatePending)))
			f.Start()
			p.wait(object.OpDelete, "t2")
			f.Commit(swarmtest.Update(swarmtest.Service("s1", 2)))
			p.wait(object.OpUpdate, "s1")
			p.checkSteps(f, 0, "create s1", "create t1, create t2", "delete t1", "update t2", "delete t2", "update s1")
		})
	}
}

// A manager that is not ready refuses every watch; that is no reason to forget.
func TestResumeLater(t *testing.T) {
	t.Parallel()
	f, p := begin(t)
	f.Stop()
	f.Set(func(s *swarmtest.Settings) { s.Starting = true })
	f.Commit(swarmtest.Create(swarmtest.Service("s1", 1)))
	f.Start()
	time.Sleep(100 * time.Millisecond)
	f.Set(func(s *swarmtest.Settings) { s.Starting = false })
	p.wait(object.OpCreate, "s1")
	p.check(f, 0)
}

func TestResumeRefused(t *testing.T) {
	t.Parallel()
	f := swarmtest.New(t)
	f.Commit(swarmtest.Create(swarmtest.Service("s1", 1)), swarmtest.Create(swarmtest.Task("t1", "s1", 1, api.TaskStateNew)))
	p := record(t, f)
	p.wait(object.OpSnapshot, "t1")
	f.Commit(swarmtest.Update(swarmtest.Task("t1", "s1", 1, api.TaskStatePending)))
	p.wait(object.OpUpdate, "t1")
	f.Stop()
	f.Commit(swarmtest.Remove(swarmtest.Task("t1", "s1", 1, api.TaskStatePending))) // it vanishes unseen
	f.Commit(swarmtest.Create(swarmtest.Task("t2", "s1", 1, api.TaskStateNew)))
	f.Compact()
	f.Start()
	p.wait(object.OpSnapshot, "t2")
	f.Commit(swarmtest.Update(swarmtest.Task("t2", "s1", 1, api.TaskStatePending)))
	p.wait(object.OpUpdate, "t2")
	p.check(f, 1)
}

func TestAnotherSwarm(t *testing.T) {
	t.Parallel()
	f, p := begin(t)
	f.Stop()
	f.Set(func(s *swarmtest.Settings) { s.ClusterID = "cluster2" })
	f.Commit(swarmtest.Create(swarmtest.Node("n2", api.NodeStatus_READY))) // resuming would find it
	f.Start()
	p.wait(object.OpSnapshot, "n2")
	p.check(f, 1)
}

// What the log states need not lead to the current objects: a swarm restored from a
// backup uses its versions again.
func TestResumeToSomethingElse(t *testing.T) {
	t.Parallel()
	f, p := begin(t)
	f.Stop()
	f.Commit(swarmtest.Create(swarmtest.Service("s1", 1)))
	f.Falsify()
	f.Start()
	p.wait(object.OpSnapshot, "s1")
	p.check(f, 1)
}

// The leader changes: this manager's watch goes on, but states no versions.
func TestLeaderChange(t *testing.T) {
	t.Parallel()
	f, p := begin(t)
	f.Commit(swarmtest.Create(swarmtest.Service("s1", 1)))
	p.wait(object.OpCreate, "s1")
	f.Set(func(s *swarmtest.Settings) { s.Follower = true })
	f.Commit(swarmtest.Update(swarmtest.Node("n1", api.NodeStatus_UNKNOWN)))
	f.Commit(swarmtest.Update(swarmtest.Service("s1", 2)))
	p.wait(object.OpUpdate, "s1")
	f.Stop() // and resuming starts from the objects' versions
	f.Commit(swarmtest.Create(swarmtest.Task("t1", "s1", 1, api.TaskStateNew)))
	f.Start()
	p.wait(object.OpCreate, "t1")
	p.checkSteps(f, 0, "create s1", "update n1", "update s1", "create t1")
}

// A change that does not follow from those before shows that some are missing.
func TestHole(t *testing.T) {
	t.Parallel()
	for name, hole := range map[string]func(f *swarmtest.Manager){
		"update of the unknown": func(f *swarmtest.Manager) {
			f.Unseen(swarmtest.Create(swarmtest.Service("s2", 1)))
			f.Commit(swarmtest.Update(swarmtest.Service("s2", 2)))
		},
		"deletion of the unknown": func(f *swarmtest.Manager) {
			f.Unseen(swarmtest.Create(swarmtest.Service("s2", 1)))
			f.Commit(swarmtest.Remove(swarmtest.Service("s2", 2)))
		},
		"created twice": func(f *swarmtest.Manager) {
			f.Unseen(swarmtest.Remove(swarmtest.Service("s1", 1)))
			f.Commit(swarmtest.Create(swarmtest.Service("s1", 1)))
		},
		"several transactions at once": func(f *swarmtest.Manager) {
			f.Together(
				[]swarmtest.Action{swarmtest.Update(swarmtest.Service("s1", 2))},
				[]swarmtest.Action{swarmtest.Create(swarmtest.Task("t1", "s1", 1, api.TaskStateNew))},
			)
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := swarmtest.New(t)
			f.Commit(swarmtest.Create(swarmtest.Service("s1", 1)))
			p := record(t, f)
			p.wait(object.OpSnapshot, "s1")
			hole(f)
			f.Commit(swarmtest.Create(swarmtest.Service("s3", 1)))
			p.wait(object.OpSnapshot, "s3")
			p.check(f, 1)
		})
	}
}

// A follower that fell behind takes over the leader's store, and tells what has
// changed as if it were one transaction. Only its log shows whether it was.
func TestFellBehind(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		lost bool
		gaps int
	}{{"nothing was missed", false, 0}, {"a store was taken over", true, 1}} {
		t.Run(test.name, func(t *testing.T) {
			f := swarmtest.New(t)
			f.Set(func(s *swarmtest.Settings) { s.Follower = true })
			p := record(t, f)
			p.wait(object.OpSnapshot, "n1")
			f.Commit(swarmtest.Create(swarmtest.Service("s1", 1)))
			p.wait(object.OpCreate, "s1")
			for range 20 {
				if test.lost {
					f.Unseen(swarmtest.Update(swarmtest.Service("s1", 2)))
				} else {
					f.Unseen()
				}
			}
			if test.lost {
				f.Compact()
			}
			f.Commit(swarmtest.Update(swarmtest.Service("s1", 3)))
			f.Commit(swarmtest.Create(swarmtest.Service("s2", 1)))
			if test.lost {
				p.wait(object.OpSnapshot, "s2")
			} else {
				p.wait(object.OpCreate, "s2")
			}
			p.check(f, test.gaps)
		})
	}
}

// A change of the history limit is a meta line before the next transaction, also
// where the change was made while nothing was recorded, and whether the manager
// has kept the changes since or not.
func TestHistoryLimitChanges(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name      string
		meanwhile func(f *swarmtest.Manager)
		gaps      int
		want      []int64
	}{
		{"recorded", nil, 0, []int64{2}},
		{"while away", func(f *swarmtest.Manager) { f.SetLimit(7) }, 0, []int64{2, 7}},
		{"twice while away", func(f *swarmtest.Manager) { f.SetLimit(7); f.SetLimit(2) }, 0, []int64{2}},
		{"between transactions while away", func(f *swarmtest.Manager) {
			f.SetLimit(7)
			f.Commit(swarmtest.Create(swarmtest.Service("s2", 1)))
			f.Commit(swarmtest.Remove(swarmtest.Service("s2", 1)))
			f.SetLimit(2)
		}, 0, []int64{2, 7, 2}},
		{"while away, and forgotten", func(f *swarmtest.Manager) {
			f.SetLimit(7)
			f.Commit(swarmtest.Create(swarmtest.Service("s2", 1)))
			f.Compact()
		}, 1, []int64{2, 7}},
	} {
		for _, follower := range []bool{false, true} {
			t.Run(test.name, func(t *testing.T) {
				t.Parallel()
				f := swarmtest.New(t)
				f.Set(func(s *swarmtest.Settings) { s.Follower = follower })
				p := record(t, f)
				p.wait(object.OpSnapshot, "n1")
				f.Commit(swarmtest.Create(swarmtest.Service("before", 1)))
				p.wait(object.OpCreate, "before")
				f.SetLimit(5) // which it is
				f.SetLimit(2)
				f.Commit(swarmtest.Create(swarmtest.Service("after", 1)))
				p.wait(object.OpCreate, "after")
				if n := len(p.lines); len(p.metas) != 1 || p.metas[0] != (meta{n - 1, 2}) {
					t.Errorf("meta lines %v, want one that states 2 before line %d", p.metas, n-1)
				}
				if test.meanwhile != nil {
					p.end()
					test.meanwhile(f)
					p = p.goOn(f, -1)
				}
				f.Commit(swarmtest.Create(swarmtest.Service("last", 1)))
				p.wait(object.OpCreate, "last")
				p.check(f, test.gaps)
				var got []int64
				for _, m := range p.metas {
					got = append(got, m.limit)
				}
				if !slices.Equal(got, test.want) {
					t.Errorf("meta lines state %v, want %v", got, test.want)
				}
			})
		}
	}
}

func TestTakeFails(t *testing.T) {
	t.Parallel()
	f := swarmtest.New(t)
	source, err := Open(t.Context(), Options{Socket: f.Socket, pace: quick})
	if err != nil {
		t.Fatal(err)
	}
	full := errors.New("the disk is full")
	if err := source.Run(t.Context(), func(Batch) error { return full }); err != full {
		t.Errorf("error %v, want %v", err, full)
	}
}

// Whatever happens to the manager, the recording states what was committed: each
// transaction once and in order, except where it states that it missed some.
func TestRandom(t *testing.T) {
	t.Parallel()
	f := swarmtest.New(t)
	p := record(t, f)
	random := rand.New(rand.NewPCG(1, 2))
	var wrote sync.WaitGroup
	wrote.Add(1)
	go func() {
		defer wrote.Done()
		churn(f, random)
	}()
	for range 8 {
		time.Sleep(40 * time.Millisecond)
		f.Stop()
		time.Sleep(20 * time.Millisecond)
		f.Start()
	}
	wrote.Wait()
	f.Commit(swarmtest.Create(swarmtest.Service("last", 1)))
	p.wait(object.OpCreate, "last")
	got := p.check(f, 0)
	var want []string
	for _, events := range f.Log()[1:] { // the node stood already
		var parts []string
		for _, e := range events {
			parts = append(parts, ops[wire.Action(e.Action)]+" "+idOf(e))
		}
		want = append(want, strings.Join(parts, ", "))
	}
	if n := len(want) - len(got.txs); n < 0 || !reflect.DeepEqual(got.txs, want[n:]) {
		t.Errorf("%d steps are not the last of the %d that were made", len(got.txs), len(want))
	}
}

func idOf(e *api.WatchMessage_Event) string {
	switch o := e.Object.Object.(type) {
	case *api.Object_Service:
		return o.Service.ID
	case *api.Object_Task:
		return o.Task.ID
	}
	return e.Object.GetNode().ID
}

// churn commits random transactions, for about half a second.
func churn(f *swarmtest.Manager, random *rand.Rand) {
	var tasks []*api.Task
	for i := range 1500 {
		var actions []swarmtest.Action
		for n := range 1 + random.IntN(4) {
			if j := random.IntN(len(tasks) + 1); j == len(tasks) || random.IntN(3) == 0 {
				tasks = append(tasks, swarmtest.Task(fmt.Sprintf("t%d-%d", i, n), "s", 1, api.TaskStateNew))
				actions = append(actions, swarmtest.Create(tasks[len(tasks)-1]))
			} else if random.IntN(2) == 0 {
				tasks[j].Status.Message = fmt.Sprint(i)
				actions = append(actions, swarmtest.Update(tasks[j]))
			} else {
				actions = append(actions, swarmtest.Remove(tasks[j]))
				tasks = append(tasks[:j], tasks[j+1:]...)
			}
		}
		f.Commit(actions...)
		time.Sleep(300 * time.Microsecond)
	}
}
