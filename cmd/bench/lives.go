package main

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
)

// wave is how many tasks of a wave go the same way together.
const wave = 5000

// lives are the changes of a task's life, each a step by SwarmKit's actions.
// The next task of the slot is created at the step marked so.
var lives = []string{
	`"state":"pending"`, `"state":"assigned","node":"n1"`, `"state":"accepted"`, `"state":"preparing"`, `"state":"ready"`,
	`"state":"starting"`, `"state":"running"`, `"state":"failed"`, `replace`, `"desired_state":"remove"`, `delete`,
}

// writeWave writes at most n events of tasks that all take one step of their
// lives, then all the next one, in transactions of so many tasks.
func writeWave(path string, n, together int) error {
	return writeTrace(path, func(w *bufio.Writer) { waves(w, n, together) })
}

// writeTrace creates the file, and writes what every trace of ours begins with.
func writeTrace(path string, events func(*bufio.Writer)) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	fmt.Fprintln(w, `{"kind":"meta","object":{"format":1,"spec":["swarmkit"],"steps":"batched","constants":{"max_terminated":0}}}`)
	fmt.Fprintln(w, `{"kind":"node","op":"snapshot","id":"n1","object":{"state":"up"}}`)
	events(w)
	return errors.Join(w.Flush(), f.Close())
}

func waves(w *bufio.Writer, n, together int) {
	fmt.Fprintf(w, "{\"seq\":1,\"tx\":0,\"kind\":\"service\",\"op\":\"create\",\"id\":\"web\",\"object\":{\"replicas\":%d,\"remove\":false}}\n", wave)
	seq := 1
	line := func(format string, args ...any) {
		seq++
		fmt.Fprintf(w, `{"seq":%d,"tx":%d,"kind":"task",`, seq, 1+(seq-2)/together)
		fmt.Fprintf(w, format+"}\n", args...)
	}
	create := func(i, life int) {
		line(`"op":"create","id":"task-%d-%d","object":{"service":"web","slot":%d,"node":"","state":"new","desired_state":"running"}`, i, life, i+1)
	}
	for i := range wave {
		create(i, 0)
	}
	for life := 0; ; life++ {
		for _, change := range lives {
			if seq+wave > n {
				return
			}
			for i := range wave {
				switch change {
				case "replace":
					create(i, life+1)
				case "delete":
					line(`"op":"delete","id":"task-%d-%d"`, i, life)
				default:
					line(`"op":"update","id":"task-%d-%d","object":{%s}`, i, life, change)
				}
			}
		}
	}
}

// ofService is how many slots a service has.
const ofService = 500

// beginning is how many snapshots show so many tasks and their services.
func beginning(live int) int { return live + (live+ofService-1)/ofService }

// writeLives writes n events: as many snapshots as tasks are to live, then the
// next step in the life of one and another, taken by chance. So the steps are
// the same, however many live.
func writeLives(path string, n, live int) error {
	return writeTrace(path, func(w *bufio.Writer) { someLives(w, n, live) })
}

func someLives(w *bufio.Writer, n, live int) {
	seq := 0
	line := func(kind, op, id, object string) {
		seq++
		fmt.Fprintf(w, `{"seq":%d,"kind":%q,"op":%q,"id":%q`, seq, kind, op, id)
		if object != "" {
			fmt.Fprintf(w, `,"object":{%s}`, object)
		}
		fmt.Fprintln(w, "}")
	}
	for i := 0; i < live; i += ofService {
		line("service", "snapshot", fmt.Sprint("web", i/ofService), fmt.Sprintf(`"replicas":%d,"remove":false`, min(ofService, live-i)))
	}
	begin := func(slot int) string {
		return fmt.Sprintf(`"service":"web%d","slot":%d,"node":"","state":"new","desired_state":"running"`, slot/ofService, 1+slot%ofService)
	}
	id := func(slot, life int) string { return fmt.Sprintf("task-%d-%d", slot, life) }
	for slot := range live {
		line("task", "snapshot", id(slot, 0), begin(slot))
	}
	r := rand.New(rand.NewPCG(1, 1))
	steps, life := make([]int, live), make([]int, live) // that each slot has seen
	for seq < n {
		slot := r.IntN(live)
		switch change := lives[steps[slot]]; change {
		case "replace":
			line("task", "create", id(slot, life[slot]+1), begin(slot))
		case "delete":
			line("task", "delete", id(slot, life[slot]), "")
			life[slot]++
		default:
			line("task", "update", id(slot, life[slot]), change)
		}
		steps[slot] = (steps[slot] + 1) % len(lives)
	}
}
