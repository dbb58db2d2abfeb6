package main

import (
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/moby/swarmkit/v2/api"
)

// The files of a run's folder.
const (
	recordingFile = "rec.jsonl.gz"  // by the last manager, from before the workers join
	lateFile      = "late.jsonl.gz" // one that begins when the play says so
	liveFile      = "live.json"     // the verdict of the swarm that was judged live
	playFile      = "play.log"      // what was done, and when
)

// simulate brings a swarm up, records it, runs the play, and takes all down. The folder
// must not exist.
func simulate(o options, dir string) (done stats, err error) {
	play := plays[o.Play]
	if play == nil {
		return nil, fmt.Errorf("there is no play %q: there are %v", o.Play, playNames())
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(dir, playFile))
	if err != nil {
		return nil, err
	}
	s := &sim{options: o, dir: dir, log: log, stats: stats{}, down: map[int]time.Time{}, rng: rand.New(rand.NewSource(o.Seed))}
	s.say("%+v", o)
	defer func() {
		s.endTools()
		s.takeDown()
		switch r := recover().(type) {
		case nil:
		case failure:
			err = r.err
			s.say("FAILED: %v", err)
		default:
			panic(r)
		}
	}()
	s.startManagers()
	s.record()
	s.startWorkers()
	play(s)
	s.say("calm")
	time.Sleep(s.Calm)
	n, live := s.tasks()
	s.say("tasks %d live %d", n, live)
	s.say("%s", s.stats)
	return s.stats, nil
}

// endTools ends the recordings, before the swarm does.
func (s *sim) endTools() {
	for _, c := range s.tools {
		c.Process.Signal(os.Interrupt)
	}
	for _, c := range s.tools {
		err := c.Wait()
		s.say("%v: %v; CPU %v", c.Args[1], err, c.ProcessState.UserTime()+c.ProcessState.SystemTime())
	}
}

// record starts what records the last manager, and what judges it live.
func (s *sim) record() {
	if s.Tracecheck == "" {
		return
	}
	record := func(file string) {
		s.tools = append(s.tools, s.tool("record.log", "record", "--swarm", s.last().socket(), "-o", filepath.Join(s.dir, file)))
	}
	record(recordingFile)
	if s.Live {
		s.tools = append(s.tools, s.tool(liveFile, "validate", "--keep-going", "--no-progress", "--output", "json", "--swarm", s.last().socket()))
	}
	s.late = func() {
		s.late = nil
		record(lateFile)
	}
}

// tool starts tracecheck. Its output goes to the file, its errors to the file's log.
func (s *sim) tool(file string, args ...string) *exec.Cmd {
	c := exec.Command(s.Tracecheck, args...)
	out, err := os.OpenFile(filepath.Join(s.dir, file), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	must(err)
	defer out.Close()
	errs, err := os.OpenFile(filepath.Join(s.dir, args[0]+".err"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	must(err)
	defer errs.Close()
	c.Stdout, c.Stderr = out, errs
	must(c.Start())
	return c
}

func (s *sim) takeDown() {
	all := s.racks
	for _, m := range s.managers {
		if p := m.proc(); p != nil {
			all = append(all, p)
		}
	}
	limit := time.After(10 * time.Second)
	for _, p := range all {
		p.end(limit)
	}
}

func (s *sim) startManagers() {
	for i := range s.Managers {
		listen, err := freePort()
		must(err)
		s.managers = append(s.managers, &manager{dir: filepath.Join(s.dir, fmt.Sprint("m", i)), listen: listen})
	}
	first := s.managers[0]
	s.joinManager(0, "", "")
	must(first.dial())
	var err error
	if !wait(10*time.Second, func() bool {
		err = s.setCluster(func(c *api.ClusterSpec) {
			c.Dispatcher.HeartbeatPeriod = duration(s.Heartbeat)
			c.Orchestration.TaskHistoryRetentionLimit = s.History
		})
		return err == nil
	}) {
		must(err)
	}
	r, err := call(first.c.ListClusters, &api.ListClustersRequest{})
	must(err)
	tokens := r.Clusters[0].RootCA.JoinTokens
	s.token, s.join = tokens.Worker, first.listen
	for i := 1; i < s.Managers; i++ {
		s.joinManager(i, first.listen, tokens.Manager)
		must(s.managers[i].dial())
		s.join += "," + s.managers[i].listen
	}
	time.Sleep(time.Second)
}

// joinManager starts a manager and waits until it is ready.
func (s *sim) joinManager(i int, join, token string) {
	must(s.startManager(i, join, token))
	select {
	case <-s.managers[i].proc().ready:
	case <-time.After(2 * time.Minute):
		fail("manager %d is not ready: see manager%d.log", i, i)
	}
}

func (s *sim) startWorkers() {
	for i := 0; i < s.Agents; i += s.PerProc {
		p, err := s.spawn(fmt.Sprintf("agents%d.log", i), agentsCommand, "-dir", filepath.Join(s.dir, "a"),
			"-n", fmt.Sprint(min(s.PerProc, s.Agents-i)), "-first", fmt.Sprint(i), "-join", s.join, "-token", s.token, "-seed", fmt.Sprint(s.Seed))
		must(err)
		s.racks = append(s.racks, p)
	}
	if !wait(5*time.Minute, func() bool { return s.ready() >= s.Agents*95/100 }) {
		fail("only %d of %d nodes are ready", s.ready(), s.Agents+s.Managers)
	}
	s.say("%d of %d nodes ready", s.ready(), s.Agents+s.Managers)
}

func (s *sim) ready() (n int) {
	for _, nd := range s.nodes() {
		if nd.Status.State == api.NodeStatus_READY {
			n++
		}
	}
	return n
}
