package main

import (
	"bufio"
	"fmt"
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
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	fmt.Fprintln(w, `{"kind":"meta","object":{"format":1,"spec":["swarmkit"],"steps":"batched","constants":{"max_terminated":0}}}`)
	fmt.Fprintln(w, `{"kind":"node","op":"snapshot","id":"n1","object":{"state":"up"}}`)
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
				if err := w.Flush(); err != nil {
					return err
				}
				return f.Close()
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
