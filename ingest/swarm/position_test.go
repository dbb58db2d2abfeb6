package swarm

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/moby/swarmkit/v2/api"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"tracecheck/ingest/swarm/object"
	"tracecheck/ingest/swarm/swarmtest"
	"tracecheck/ingest/swarm/wire"
)

// goOn makes another process go on after the nth batch, or with the last for
// less than 0. What came before belongs to what comes.
func (p *tape) goOn(f *swarmtest.Manager, nth int) *tape {
	p.t.Helper()
	p.end()
	if nth < 0 {
		nth += len(p.at)
	}
	core, logs := observer.New(zap.InfoLevel)
	next := recordWith(p.t, Options{Socket: f.Socket, pace: quick, From: p.at[nth].position, Log: zap.New(core)})
	for begin := time.Now(); ; time.Sleep(time.Millisecond) {
		next.mu.Lock()
		if logs.FilterMessageSnippet("resumes without a gap").Len() > 0 || len(next.lines) > 0 {
			break
		}
		next.mu.Unlock()
		if time.Since(begin) > time.Minute {
			p.t.Fatalf("it did not go on: %v", logs.All())
		}
	}
	defer next.mu.Unlock()
	next.lines = append(slices.Clone(p.lines[:p.at[nth].lines]), next.lines...)
	next.metas = append(slices.Clone(p.metas), next.metas...)
	return next
}

func TestGoOn(t *testing.T) {
	t.Parallel()
	task := swarmtest.Task("t1", "s1", 1, api.TaskStateNew)
	for _, test := range []struct {
		name      string
		meanwhile func(f *swarmtest.Manager)
		gaps      int
		steps     []string // of what happened meanwhile
	}{
		{"nothing", func(*swarmtest.Manager) {}, 0, nil},
		{"a manager that restarts", func(f *swarmtest.Manager) { f.Stop(); f.Start() }, 0, nil},
		{"what is not recorded", func(f *swarmtest.Manager) { f.Unseen(); f.Unseen() }, 0, nil},
		{"new and gone again", func(f *swarmtest.Manager) {
			f.Commit(swarmtest.Create(swarmtest.Service("s2", 1)))
			f.Commit(swarmtest.Remove(swarmtest.Service("s2", 1)))
		}, 0, []string{"create s2", "delete s2"}},
		{"new and gone again, and forgotten", func(f *swarmtest.Manager) {
			f.Commit(swarmtest.Create(swarmtest.Service("s2", 1)))
			f.Commit(swarmtest.Remove(swarmtest.Service("s2", 1)))
			f.Compact()
		}, 1, nil},
		{"an update", func(f *swarmtest.Manager) { f.Commit(swarmtest.Update(swarmtest.Service("s1", 3))) }, 1, nil},
		{"a deletion", func(f *swarmtest.Manager) { f.Commit(swarmtest.Remove(task)) }, 1, nil},
		{"a creation", func(f *swarmtest.Manager) { f.Commit(swarmtest.Create(swarmtest.Service("s2", 3))) }, 1, nil},
		{"another swarm", func(f *swarmtest.Manager) { f.Set(func(s *swarmtest.Settings) { s.ClusterID = "other" }) }, 1, nil},
		{"another limit", func(f *swarmtest.Manager) { f.SetLimit(7) }, 0, nil},
	} {
		for _, follower := range []bool{false, true} {
			t.Run(test.name, func(t *testing.T) {
				t.Parallel()
				f := swarmtest.New(t)
				f.Set(func(s *swarmtest.Settings) { s.Follower = follower })
				f.Commit(swarmtest.Create(swarmtest.Service("s1", 1)))
				p := record(t, f)
				p.wait(object.OpSnapshot, "s1")
				f.Commit(swarmtest.Create(task))
				p.wait(object.OpCreate, "t1")
				p.end()
				test.meanwhile(f)
				p = p.goOn(f, -1)
				f.Commit(swarmtest.Create(swarmtest.Service("last", 1)))
				p.wait(object.OpCreate, "last")
				p.checkSteps(f, test.gaps, slices.Concat([]string{"create t1"}, test.steps, []string{"create last"})...)
			})
		}
	}
}

// Two deletions with a stop between them are two steps.
func TestGoOnBetweenDeletions(t *testing.T) {
	t.Parallel()
	f := swarmtest.New(t)
	f.Commit(swarmtest.Create(swarmtest.Service("s1", 1)), swarmtest.Create(swarmtest.Service("s2", 1)))
	p := record(t, f)
	p.wait(object.OpSnapshot, "s2")
	f.Commit(swarmtest.Remove(swarmtest.Service("s1", 1)))
	p.wait(object.OpDelete, "s1")
	p = p.goOn(f, -1)
	f.Commit(swarmtest.Remove(swarmtest.Service("s2", 1)))
	p.wait(object.OpDelete, "s2")
	if got := p.check(f, 0); !reflect.DeepEqual(got.txs, []string{"delete s1", "delete s2"}) {
		t.Errorf("steps are %q", got.txs)
	}
}

// From whichever batch a recording resumes, it leads to the current objects, and states
// so where something is missing.
func TestGoOnFromAnywhere(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 8))
			f, p := begin(t)
			churn(f, random)
			f.Commit(swarmtest.Create(swarmtest.Service("middle", 1)))
			p.wait(object.OpCreate, "middle")
			p.end()
			nth := random.IntN(len(p.at))
			if seed == 0 {
				nth = len(p.at) - 1
			}
			last := nth == len(p.at)-1
			before := play(t, p.lines[:p.at[nth].lines]).gaps
			p = p.goOn(f, nth)
			f.Commit(swarmtest.Create(swarmtest.Service("last", 1)))
			p.waitFor("the last service", func() bool {
				return slices.ContainsFunc(p.lines, func(l object.Line) bool { return l.ID == "last" })
			})
			got := play(t, p.end())
			if want := existing(t, f); !reflect.DeepEqual(got.objects, want) {
				t.Errorf("the recording ends with\n%v\nwant\n%v", got.objects, want)
			}
			if last && got.gaps > before {
				t.Errorf("%d gaps, where nothing was missed; %d before", got.gaps, before)
			}
		})
	}
}

// A job's task keeps its slot when the job is gone, which nobody can see then.
func TestSumOfAJobsTask(t *testing.T) {
	t.Parallel()
	service := swarmtest.Service("s1", 1)
	service.Spec.Mode = &api.ServiceSpec_ReplicatedJob{ReplicatedJob: &api.ReplicatedJob{}}
	service.JobStatus = &api.JobStatus{}
	its := swarmtest.Task("t1", "s1", 0, api.TaskStateNew)
	its.JobIteration = &api.Version{}
	job, task := swarmtest.Sent(t, service), swarmtest.Sent(t, its)
	m := newMirror(cut{object.KeyOf(job): job, object.KeyOf(task): task})
	_, _, err := m.apply(changes{events: []*wire.Event{{Action: wire.Remove, Object: job}}})
	if err != nil {
		t.Fatal(err)
	}
	after := newMirror(cut{object.KeyOf(task): task})
	if a, b := m.objects[object.KeyOf(task)].Data["slot"], after.objects[object.KeyOf(task)].Data["slot"]; a == b {
		t.Fatalf("the slot is %v in both", a)
	}
	if m.sum != after.sum {
		t.Error("the sums differ")
	}
}

func TestWrongPosition(t *testing.T) {
	t.Parallel()
	f := swarmtest.New(t)
	for _, from := range []string{"x", "{}", `{"cluster":"c","seq":0}`} {
		if _, err := Open(t.Context(), Options{Socket: f.Socket, From: from}); !errors.Is(err, ErrPosition) {
			t.Errorf("from %s: %v", from, err)
		}
	}
}
