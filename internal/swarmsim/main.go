// Swarmsim runs a swarm of real SwarmKit managers and agents on one machine. Its executor
// only plays containers. A play makes things happen to the swarm, and tracecheck records
// and judges it. docs/simulate.md describes it.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/sirupsen/logrus"
)

func main() {
	if child(os.Args) {
		return
	}
	o := defaults()
	fs := flag.NewFlagSet("swarmsim", flag.ExitOnError)
	dir := fs.String("dir", "", "a new `folder` for the swarm's state, its logs and the recordings; required")
	o.flags(fs)
	fs.Parse(os.Args[1:])
	if *dir == "" || fs.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "usage: swarmsim -dir FOLDER [flags]; -help lists them")
		os.Exit(2)
	}
	stats, err := simulate(o, *dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, "swarmsim:", err)
		os.Exit(1)
	}
	fmt.Println(stats)
}

// The first argument of the processes that a run starts.
const (
	managerCommand = "manager"
	agentsCommand  = "agents"
)

// child runs a process that a run has started, and reports whether args ask for one.
func child(args []string) bool {
	logrus.SetLevel(logrus.WarnLevel) // of SwarmKit, and of the control socket's client
	if len(args) < 2 || args[1] != managerCommand && args[1] != agentsCommand {
		return false
	}
	if args[1] == managerCommand {
		runManager(args[2:])
	} else {
		runAgents(args[2:])
	}
	return true
}
