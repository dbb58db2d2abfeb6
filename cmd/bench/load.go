package main

import (
	"context"
	"os"
	"time"

	"tracecheck/generate"
)

// liveTasks is how many the load hovers around, whatever its length.
const liveTasks = 1000

// makeLoad writes a trace of n events that conforms to SwarmKit's spec: a swarm
// that works all the time.
func makeLoad(path string, n int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = generate.Run(context.Background(), generate.Options{
		Specs: []string{"swarmkit"}, Events: int64(n), Streams: 1, Objects: liveTasks, Snapshot: true, NoClaims: true,
		Start: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC), Interval: 3 * time.Millisecond,
	}, f)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}
