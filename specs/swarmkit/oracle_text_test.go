package swarmkit_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// oracleStateOf reads "node ID up|down|gone", "service ID REPLICAS [remove]" and
// "task ID SERVICE SLOT NODE|- STATE DESIRED", separated by semicolons.
func oracleStateOf(text string) oracleState {
	s := newOracleState()
	count := func(w string) int {
		if w == "global" {
			return globalMode
		}
		n, err := strconv.Atoi(w)
		if err != nil {
			panic(err)
		}
		return n
	}
	for _, part := range strings.Split(text, ";") {
		w := strings.Fields(part)
		switch {
		case len(w) == 3 && w[0] == "node":
			s.nodes[w[1]] = w[2]
		case len(w) >= 3 && w[0] == "service":
			s.services[w[1]] = oracleService{count(w[2]), len(w) == 4 && w[3] == "remove"}
		case len(w) == 7 && w[0] == "task":
			s.tasks[w[1]] = oracleTask{w[2], count(w[3]), strings.TrimPrefix(w[4], "-"), w[5], w[6]}
		case len(w) > 0:
			panic("not an object: " + part)
		}
	}
	return s
}

// The steps below are read off the module by hand, above all where a reader
// who knows only reachable states might guess wrong. A `to' of "=" is `from'.
func TestExplainsToTheLetter(t *testing.T) {
	for _, c := range []struct {
		name, from, to string
		maxTerminated  int
		want           string
	}{
		{"what can stutter anywhere", "node n1 up; service web 1", "=", 1, "UpdateService ContainerExit"},
		{"removal repeated", "node n1 down; service web 1 remove", "=", 1, "RemoveService OrphanTasks"},
		{"t.slot is global, no VSlot is", "node n1 up; service web 0; task a web global n1 running running", "=", 1,
			"UpdateService RequestRemoval ContainerExit"},
		{"a node's tasks are not the slot global's", "node n1 up; service web 0; task a web global n1 running running",
			"node n1 up; service web 0; task a web global n1 running remove", 1, ""},
		{"marked for removal twice", "node n1 up; service web 1; task a web 1 n1 complete remove", "=", 0,
			"UpdateService CleanupTerminated ContainerExit"},
		{"not one too many", "node n1 up; service web 1; task a web 1 n1 complete remove", "=", 1, "UpdateService ContainerExit"},
		{"orphaned is not terminated", "service web 1; task a web 1 n1 orphaned running",
			"service web 1; task a web 1 n1 orphaned remove", 0, ""},
		{"nothing at all can stutter", "", "=", 1, ""},

		{"a flagged service is not created", "", "service web 1 remove", 1, ""},
		{"any number", "service web 1", "service web 1000000", 1, "UpdateService"},
		{"not a number", "service web 1", "service web -1", 1, ""},
		{"the mode stays", "service web 1", "service web global", 1, ""},
		{"removal is for ever", "service web 1 remove", "service web 1", 1, ""},
		{"no update while removing", "service web 1 remove", "service web 2 remove", 1, ""},
		{"two services", "", "service web 1; service api 1", 1, ""},
		{"RemoveService takes all tasks", "service web 1; task a web 1 - new running; task b web 2 - new running",
			"service web 1 remove; task a web 1 - new remove; task b web 2 - new running", 1, ""},
		{"removed again, with a task of another mind", "service web 1 remove; task a web 1 - new running",
			"service web 1 remove; task a web 1 - new remove", 1, "RemoveService"},
		{"RequestRemoval does not ask whether we remove", "service web 0 remove; task a web 1 - new running; task b web 2 - new remove",
			"service web 0 remove; task a web 1 - new remove; task b web 2 - new remove", 1, "RemoveService RequestRemoval"},
		{"a service with tasks stays", "service web 1 remove; task a web 1 - new remove", "task a web 1 - new remove", 1, ""},
		{"a service without goes", "service web 1 remove", "", 1, "CleanupService"},
		{"an unflagged one stays", "service web 1", "", 1, ""},

		{"a node's vslot counts as one", "node n1 up; service web 1; task a web global n1 new running",
			"node n1 up; service web 1; task a web global n1 new running; task b web 1 - new running", 1, ""},
		{"any slot will do", "service web 1", "service web 1; task a web 9 - new running", 1, "CreateSlot"},
		{"a task begins desired running", "service web 1", "service web 1; task a web 1 - new ready", 1, ""},
		{"and without a node", "node n1 up; service web 1", "node n1 up; service web 1; task a web 1 n1 new running", 1, ""},
		{"a global one on its node, even down", "node n1 down; service web global",
			"node n1 down; service web global; task a web global n1 new running", 1, "CreateSlot"},
		{"not on what is no node", "service web global", "service web global; task a web global n1 new running", 1, ""},
		{"a numbered slot of a global service is replaced", "service web global; task a web 3 - rejected running",
			"service web global; task a web 3 - rejected running; task b web 3 - new running", 1, "ReplaceTask"},
		{"a slot all to be removed is not", "service web 0; task a web 3 - rejected remove",
			"service web 0; task a web 3 - rejected remove; task b web 3 - new running", 1, ""},
		{"nor one with a live task", "service web 1; task a web 3 - rejected running; task c web 3 - new shutdown",
			"service web 1; task a web 3 - rejected running; task c web 3 - new shutdown; task b web 3 - new running", 1, ""},

		{"RequestRemoval takes the slot's finished tasks too",
			"node n1 up; service web 0; task a web 1 n1 running running; task b web 1 n1 failed shutdown",
			"node n1 up; service web 0; task a web 1 n1 running remove; task b web 1 n1 failed shutdown", 1, ""},
		{"all of them",
			"node n1 up; service web 0; task a web 1 n1 running running; task b web 1 n1 failed shutdown",
			"node n1 up; service web 0; task a web 1 n1 running remove; task b web 1 n1 failed remove", 1, "RequestRemoval"},
		{"tasks shutting down do not count", "node n1 up; service web 1; task a web 1 n1 running running; task b web 2 n1 running shutdown",
			"node n1 up; service web 1; task a web 1 n1 running remove; task b web 2 n1 running shutdown", 1, ""},
		{"RestartTask", "service web 1; task a web 1 - pending running",
			"service web 1; task a web 1 - pending shutdown; task b web 1 - new ready", 1, "RestartTask"},
		{"RestartTask makes no running one", "service web 1; task a web 1 - pending running",
			"service web 1; task a web 1 - pending shutdown; task b web 1 - new running", 1, ""},
		{"nor restarts a finished one", "service web 1; task a web 1 - rejected running",
			"service web 1; task a web 1 - rejected shutdown; task b web 1 - new ready", 1, ""},
		{"released beside a dead one", "node n1 down; service web 1; task a web 1 n1 ready ready; task b web 1 n1 orphaned running",
			"node n1 down; service web 1; task a web 1 n1 ready running; task b web 1 n1 orphaned running", 1, "ReleaseReady"},
		{"not beside a live one", "service web 1; task a web 1 n1 ready ready; task b web 1 - new remove",
			"service web 1; task a web 1 n1 ready running; task b web 1 - new remove", 1, ""},

		{"a pending task with a node stays on it", "node n1 up; node n2 up; task a web 1 n1 pending running",
			"node n1 up; node n2 up; task a web 1 n2 assigned running", 1, ""},
		{"assigned to a node that is down", "node n1 down; task a web 1 - pending remove",
			"node n1 down; task a web 1 n1 assigned remove", 1, "Scheduler"},
		{"a global slot may not get a node: its vslot would change", "node n1 up; task a web global - pending running",
			"node n1 up; task a web global n1 assigned running", 1, ""},

		{"no further than desired", "node n1 up; task a web 1 n1 ready ready", "node n1 up; task a web 1 n1 starting ready", 1, ""},
		{"shutdown lies beyond running", "node n1 up; task a web 1 n1 ready shutdown",
			"node n1 up; task a web 1 n1 starting shutdown", 1, "ProgressTask"},
		{"no progress on a node that is down", "node n1 down; task a web 1 n1 ready running",
			"node n1 down; task a web 1 n1 starting running", 1, ""},
		{"a new task is not rejected", "node n1 up; task a web 1 n1 pending running", "node n1 up; task a web 1 n1 rejected running", 1, ""},
		{"nor a running one", "node n1 up; task a web 1 n1 running running", "node n1 up; task a web 1 n1 rejected running", 1, ""},
		{"failed, but asked to stop", "node n1 up; task a web 1 n1 running shutdown", "node n1 up; task a web 1 n1 failed shutdown", 1, ""},
		{"stopped", "node n1 up; task a web 1 n1 running shutdown", "node n1 up; task a web 1 n1 shutdown shutdown", 1,
			"ShutdownComplete ContainerExit"},
		{"to be removed, it fails as failed", "node n1 up; task a web 1 n1 running remove", "node n1 up; task a web 1 n1 failed remove", 1,
			"ContainerExit"},
		{"two exits on one node", "node n1 up; task a web 1 n1 running running; task b api 1 n1 running running",
			"node n1 up; task a web 1 n1 failed running; task b api 1 n1 complete running", 1, "ContainerExit"},
		{"two exits on two nodes", "node n1 up; node n2 up; task a web 1 n1 running running; task b api 1 n2 running running",
			"node n1 up; node n2 up; task a web 1 n1 failed running; task b api 1 n2 complete running", 1, ""},
		{"all orphaned", "node n1 down; task a web 1 n1 running running; task b api 1 n1 assigned running; task c api 1 n1 pending running",
			"node n1 down; task a web 1 n1 orphaned running; task b api 1 n1 orphaned running; task c api 1 n1 pending running", 1, "OrphanTasks"},
		{"not some", "node n1 down; task a web 1 n1 running running; task b api 1 n1 assigned running",
			"node n1 down; task a web 1 n1 orphaned running; task b api 1 n1 assigned running", 1, ""},
		{"down and orphaned at once", "node n1 up; task a web 1 n1 running running", "node n1 down; task a web 1 n1 orphaned running", 1, ""},

		{"reaped before the agent has it", "task a web 1 - pending remove", "", 1, "Reaper"},
		{"not while the agent has it", "task a web 1 n1 assigned remove", "", 1, ""},
		{"orphaned, whatever is desired", "task a web 1 n1 orphaned running", "", 1, "Reaper"},
		{"finished, but not to be removed", "task a web 1 n1 failed shutdown", "", 1, ""},
		{"two at once", "task a web 1 - new remove; task b web 2 - new remove", "", 1, ""},
	} {
		from := oracleStateOf(c.from)
		to := from
		if c.to != "=" {
			to = oracleStateOf(c.to)
		}
		var got []string
		for _, l := range explains(from, to, c.maxTerminated) {
			got = append(got, l.action)
		}
		if !slices.Equal(got, strings.Fields(c.want)) {
			t.Errorf("%s: explained by %v, want %q", c.name, got, c.want)
		}
	}
}

func TestTypeOKAndInv(t *testing.T) {
	for _, c := range []struct {
		name, state string
		typeOK, inv bool
	}{
		{"Init", "node n1 up", true, true},
		{"a negative count", "service web -1", false, true},
		{"no slot 0", "service web 1; task a web 0 - new running", false, true},
		{"no such state", "service web 1; task a web 1 - dead running", false, true},
		{"desired is not any state", "service web 1; task a web 1 - new pending", false, true},
		{"nor is a node's", "node n1 away", false, true},
		{"an unknown node", "service web 1; task a web 1 n1 new running", false, true},
		{"remove is desired only", "node n1 up; service web 1; task a web 1 n1 remove remove", false, false},
		{"no service", "node n1 up; task a web 1 - new running", true, false},
		{"assigned nowhere", "node n1 up; service web 1; task a web 1 - assigned running", true, false},
		{"orphaned nowhere", "node n1 up; service web 1; task a web 1 - orphaned running", true, false},
		{"rejected nowhere", "node n1 up; service web 1; task a web 1 - rejected running", true, true},
		{"a node that was", "node n1 gone; service web 1; task a web 1 n1 running running", true, true},
		{"a global slot nowhere", "node n1 up; service web 1; task a web global - new running", true, true},
	} {
		s := oracleStateOf(c.state)
		if s.typeOK() != c.typeOK || s.inv() != c.inv {
			t.Errorf("%s: TypeOK %v, Inv %v", c.name, s.typeOK(), s.inv())
		}
	}
}
