package main

import (
	"flag"
	"strings"
	"time"
)

// options says what a run does. docs/simulate.md lists the plays.
type options struct {
	Play     string        // what happens to the swarm
	Seed     int64         // of all that is drawn
	Managers int           // each a separate process
	Agents   int           // workers
	PerProc  int           // workers in one process
	Duration time.Duration // of the play chaos
	Calm     time.Duration // waited at the end, before the recording ends
	Steps    int           // of the play ordinary
	Services int           // aimed at
	// MaxReplicas bounds what is drawn. In a scenario it is the size.
	MaxReplicas int
	Unplaced    int           // of the play big: tasks that no node takes
	Tasks       int           // above so many, chaos removes services
	Ops         float64       // of chaos, a second
	Clean       bool          // restart policies any and on-failure only, without max attempts
	Heartbeat   time.Duration // of the dispatcher
	History     int64         // the task history limit
	Tracecheck  string        // the binary; "": records nothing
	Live        bool          // judge the swarm live, too

	// What chaos may do: kill, stop and freeze managers; stop, freeze and reinstall
	// workers; publish ports; run jobs; remove tasks by the control API; change the
	// history limit.
	Kill, Down, Ports, Jobs, RemoveTask, Limit bool
}

func defaults() options {
	return options{
		Play: "chaos", Seed: 1, Managers: 1, Agents: 10, PerProc: 10, Duration: time.Minute, Calm: 5 * time.Second,
		Steps: 12, Services: 8, MaxReplicas: 12, Tasks: 300, Ops: 2, Heartbeat: 5 * time.Second, History: 5,
		Tracecheck: "tracecheck",
	}
}

func (o *options) flags(fs *flag.FlagSet) {
	fs.StringVar(&o.Play, "play", o.Play, "what happens: "+strings.Join(playNames(), ", "))
	fs.Int64Var(&o.Seed, "seed", o.Seed, "seed of all that is drawn")
	fs.IntVar(&o.Managers, "managers", o.Managers, "managers, each a separate process")
	fs.IntVar(&o.Agents, "agents", o.Agents, "workers")
	fs.IntVar(&o.PerProc, "per-process", o.PerProc, "workers in one process")
	fs.DurationVar(&o.Duration, "duration", o.Duration, "how long chaos lasts")
	fs.DurationVar(&o.Calm, "calm", o.Calm, "the wait before the recording ends")
	fs.IntVar(&o.Steps, "steps", o.Steps, "steps of the play ordinary")
	fs.IntVar(&o.Services, "services", o.Services, "services to aim at")
	fs.IntVar(&o.MaxReplicas, "max-replicas", o.MaxReplicas, "the most replicas that are drawn; a scenario's size")
	fs.IntVar(&o.Unplaced, "unplaced", o.Unplaced, "tasks of the play big that no node takes")
	fs.IntVar(&o.Tasks, "tasks", o.Tasks, "above so many tasks, chaos removes services")
	fs.Float64Var(&o.Ops, "ops", o.Ops, "operations of chaos a second")
	fs.BoolVar(&o.Clean, "clean", o.Clean, "restart policies any and on-failure only, without max attempts")
	fs.DurationVar(&o.Heartbeat, "heartbeat", o.Heartbeat, "the dispatcher's heartbeat period")
	fs.Int64Var(&o.History, "history", o.History, "the task history limit")
	fs.StringVar(&o.Tracecheck, "tracecheck", o.Tracecheck, "the tracecheck `command`; empty: record nothing")
	fs.BoolVar(&o.Live, "live", o.Live, "judge the swarm live, too")
	fs.BoolVar(&o.Kill, "kill", o.Kill, "chaos kills, stops and freezes managers")
	fs.BoolVar(&o.Down, "down", o.Down, "chaos stops, freezes and reinstalls workers")
	fs.BoolVar(&o.Ports, "ports", o.Ports, "services publish ports")
	fs.BoolVar(&o.Jobs, "jobs", o.Jobs, "chaos runs jobs")
	fs.BoolVar(&o.RemoveTask, "remove-task", o.RemoveTask, "chaos removes tasks by the control API")
	fs.BoolVar(&o.Limit, "limit", o.Limit, "the history limit changes")
}
