package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/moby/swarmkit/v2/node"
	"github.com/moby/swarmkit/v2/node/plugin"
)

// identity is how a node joins the swarm. The first manager has no address to join.
type identity struct{ dir, host, listen, join, token string }

func newNode(id identity, plugins plugin.Getter, seed int64) (*node.Node, error) {
	cfg := &node.Config{
		Hostname: id.host, StateDir: id.dir, JoinAddr: id.join, JoinToken: id.token,
		Executor:         newExecutor(id.host, plugins, rand.New(rand.NewSource(seed))),
		PluginGetter:     plugins,
		ListenControlAPI: filepath.Join(id.dir, "control.sock"),
		ListenRemoteAPI:  id.listen, AdvertiseRemoteAPI: id.listen,
		HeartbeatTick: 1, ElectionTick: 5,
		NetworkProvider: provider{},
	}
	if _, err := os.Stat(filepath.Join(id.dir, "certificates", "swarm-node.crt")); err == nil {
		cfg.JoinAddr, cfg.JoinToken = "", ""
	}
	return node.New(cfg)
}

func runManager(args []string) {
	var id identity
	fs := flag.NewFlagSet(managerCommand, flag.ExitOnError)
	fs.StringVar(&id.dir, "dir", "", "")
	fs.StringVar(&id.listen, "listen", "", "")
	fs.StringVar(&id.join, "join", "", "")
	fs.StringVar(&id.token, "token", "", "")
	fs.StringVar(&id.host, "host", "m", "")
	fs.Parse(args)
	n, err := startManagerNode(id)
	if err != nil {
		fmt.Println("ERR", err)
		os.Exit(1)
	}
	go func() {
		<-n.Ready()
		fmt.Println("READY", n.NodeID())
	}()
	go report("manager")
	go func() {
		in := bufio.NewScanner(os.Stdin)
		for in.Scan() {
			if in.Text() == "stop" {
				stopNode(n)
			}
		}
		os.Exit(0) // the parent has ended
	}()
	fmt.Println("END", n.Err(context.Background()))
}

func startManagerNode(id identity) (*node.Node, error) {
	plugins, err := serveVolumes(id)
	if err != nil {
		return nil, err
	}
	n, err := newNode(id, plugins, time.Now().UnixNano())
	if err != nil {
		return nil, err
	}
	return n, n.Start(context.Background())
}

func stopNode(n *node.Node) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := n.Stop(ctx); err != nil {
		fmt.Println("STOP", err)
	}
}

// report writes the memory and the lag every 20 s. The lag is how late a timer was at
// most. Above some 100 ms the machine is overloaded, and so is the swarm.
func report(who string) {
	var worst atomic.Int64
	go func() {
		for {
			t := time.Now()
			time.Sleep(10 * time.Millisecond)
			worst.Store(max(worst.Load(), int64(time.Since(t)-10*time.Millisecond)))
		}
	}()
	for range time.Tick(20 * time.Second) {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		fmt.Printf("STATS %s heap=%dMB goroutines=%d lag=%v\n", who, m.HeapAlloc>>20, runtime.NumGoroutine(), time.Duration(worst.Swap(0)))
	}
}
