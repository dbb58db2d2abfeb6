package main

import (
	"bufio"
	"fmt"
	"os"
	"time"
)

// The generated cluster: every slot has one task, which starts, runs, fails,
// is replaced and cleaned up, for ever.
const (
	services = 100
	replicas = 10
	nodes    = 10
)

// lives are the changes of a task's life, each a step by SwarmKit's actions.
// The next task of the slot is created at the step marked so.
var lives = []string{
	`"object":{"state":"pending"}`,
	`"object":{"state":"assigned","node":"node-%d"}`,
	`"object":{"state":"accepted"}`,
	`"object":{"state":"preparing"}`,
	`"object":{"state":"ready"}`,
	`"object":{"state":"starting"}`,
	`"object":{"state":"running"}`,
	`"object":{"state":"failed"}`,
	`replace`,
	`"object":{"desired_state":"remove"}`,
	`delete`,
}

type writer struct {
	*bufio.Writer
	seq  int
	time time.Time
}

func (w *writer) line(format string, args ...any) {
	w.seq++
	w.time = w.time.Add(3 * time.Millisecond)
	fmt.Fprintf(w, `{"stream":"prod-eu","seq":%d,"time":%q,"tx":%d,`, w.seq, w.time.Format(time.RFC3339Nano), w.seq)
	fmt.Fprintf(w, format+"}\n", args...)
}

// generate writes a trace of n events that conforms to SwarmKit's spec.
func generate(path string, n int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := &writer{Writer: bufio.NewWriterSize(f, 1<<20), time: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)}
	fmt.Fprintln(w, `{"stream":"prod-eu","kind":"meta","object":{"format":1,"spec":["swarmkit"],"constants":{"max_terminated":0}}}`)
	for i := range nodes {
		fmt.Fprintf(w, "{\"stream\":\"prod-eu\",\"kind\":\"node\",\"op\":\"snapshot\",\"id\":\"node-%d\",\"object\":{\"state\":\"up\"}}\n", i)
	}
	for s := range services {
		w.line(`"kind":"service","op":"create","id":"service-%d","object":{"replicas":%d,"remove":false}`, s, replicas)
	}
	create := func(slot, life int) {
		w.line(`"kind":"task","op":"create","id":"task-%d-%d","object":{"service":"service-%d","slot":%d,"node":"","state":"new","desired_state":"running"}`,
			slot, life, slot/replicas, 1+slot%replicas)
	}
	for slot := range services * replicas {
		create(slot, 0)
	}
	for life := 0; ; life++ {
		for _, change := range lives {
			for slot := range services * replicas {
				if w.seq >= n {
					if err := w.Flush(); err != nil {
						return err
					}
					return f.Close()
				}
				id := fmt.Sprintf("task-%d-%d", slot, life)
				switch change {
				case "replace":
					create(slot, life+1)
				case "delete":
					w.line(`"kind":"task","op":"delete","id":%q`, id)
				case lives[1]:
					w.line(`"kind":"task","op":"update","id":%q,`+change, id, slot%nodes)
				default:
					w.line(`"kind":"task","op":"update","id":%q,`+change, id)
				}
			}
		}
	}
}
