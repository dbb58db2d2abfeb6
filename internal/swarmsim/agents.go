package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/moby/swarmkit/v2/node"
	"github.com/moby/swarmkit/v2/node/plugin"
)

// worker is one of a process: its number, its folder, and the node while it runs.
type worker struct {
	identity
	i       int
	seed    int64
	plugins plugin.Getter

	mu       sync.Mutex
	node     *node.Node
	attached []string // the network attachments that it asked for
}

func (w *worker) current() *node.Node {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.node
}

func (w *worker) start() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.node != nil {
		return
	}
	n, err := newNode(w.identity, w.plugins, w.seed+time.Now().UnixNano()%1000)
	if err == nil {
		err = n.Start(context.Background())
	}
	if err != nil {
		fmt.Println("ERR", w.i, err)
		return
	}
	w.node = n
	go func() {
		select {
		case <-n.Ready():
			fmt.Println("READY", w.i, n.NodeID())
		case <-time.After(90 * time.Second):
			fmt.Println("LATE", w.i)
		}
	}()
	go func() {
		fmt.Println("ENDED", w.i, n.Err(context.Background()))
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.node == n {
			w.node = nil
		}
	}()
}

func (w *worker) stop() {
	if n := w.current(); n != nil {
		stopNode(n)
	}
}

// wipe reinstalls the machine: the node gets another identity.
func (w *worker) wipe() {
	w.stop()
	time.Sleep(300 * time.Millisecond)
	if err := os.RemoveAll(w.dir); err != nil {
		fmt.Println("ERR", w.i, err)
	}
	w.start()
}

// attach asks for an attachment to a network, as for a container that no service made.
func (w *worker) attach(network string) {
	n := w.current()
	if n == nil || n.Agent() == nil {
		fmt.Println("ERR", w.i, "does not run: no attachment")
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	id, err := n.Agent().ResourceAllocator().AttachNetwork(ctx, fmt.Sprint("container", time.Now().UnixNano()), network, nil)
	if err != nil {
		fmt.Println("ERR", w.i, err)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.attached = append(w.attached, id)
	fmt.Println("ATTACHED", w.i, id)
}

// detach gives up all attachments.
func (w *worker) detach() {
	w.mu.Lock()
	ids, n := w.attached, w.node
	w.attached = nil
	w.mu.Unlock()
	if n == nil || n.Agent() == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	for _, id := range ids {
		fmt.Println("DETACHED", w.i, id, n.Agent().ResourceAllocator().DetachNetwork(ctx, id))
	}
}

func runAgents(args []string) {
	fs := flag.NewFlagSet(agentsCommand, flag.ExitOnError)
	dir := fs.String("dir", "", "")
	count := fs.Int("n", 10, "")
	first := fs.Int("first", 0, "")
	join := fs.String("join", "", "")
	token := fs.String("token", "", "")
	seed := fs.Int64("seed", 1, "")
	fs.Parse(args)
	joins := strings.Split(*join, ",")
	workers := map[int]*worker{}
	starting := make(chan struct{}, 4) // so many at once
	go report("agents")
	for i := *first; i < *first+*count; i++ {
		host := fmt.Sprintf("w%03d", i)
		id := identity{dir: filepath.Join(*dir, host), host: host, join: joins[i%len(joins)], token: *token}
		plugins, err := serveVolumes(id)
		if err != nil {
			fmt.Println("ERR", i, err)
			os.Exit(1)
		}
		w := &worker{identity: id, i: i, seed: *seed*1000003 + int64(i), plugins: plugins}
		workers[i] = w
		starting <- struct{}{}
		go func() {
			defer func() { <-starting }()
			w.start()
			if n := w.current(); n != nil {
				select {
				case <-n.Ready():
				case <-time.After(30 * time.Second):
				}
			}
		}()
	}
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		obey(workers, strings.Fields(in.Text()))
	}
}

// obey runs one command: its name, the worker's number, and what it needs.
func obey(workers map[int]*worker, words []string) {
	if len(words) < 2 {
		return
	}
	i, err := strconv.Atoi(words[1])
	w := workers[i]
	if err != nil || w == nil {
		fmt.Println("ERR", words, "names no worker")
		return
	}
	switch words[0] {
	case "start":
		go w.start()
	case "stop":
		go w.stop()
	case "wipe":
		go w.wipe()
	case "attach":
		go w.attach(words[2])
	case "detach":
		go w.detach()
	}
}
