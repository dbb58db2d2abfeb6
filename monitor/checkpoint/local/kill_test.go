package local

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tracecheck/internal/exhaustive"
	"tracecheck/monitor/checkpoint"
)

// killedVariable names the file that a process saves into until it is killed.
const killedVariable = "TRACECHECK_TEST_KILLED"

const killedStreams = 50

// state is what a stream is saved as for the nth time.
func state(stream, n int) string {
	return strings.Repeat(fmt.Sprintf("%d.%d ", stream, n), 1+stream*n%600)
}

// saveOn goes on from the last checkpoint: the head states how often each stream
// was saved. It reports each checkpoint when it is made.
func saveOn(path string) error {
	compact := defaultLimit
	if os.Getpid()%2 == 0 {
		compact = limit{size: 1} // always
	}
	share := 0
	if os.Getpid()%3 > 0 {
		share = littleShare
	}
	s, err := Open(path, Options{limit: compact, share: share})
	if err != nil {
		return err
	}
	p, _ := s.Open(context.Background(), "a")
	rng := rand.New(rand.NewPCG(uint64(os.Getpid()), 1))
	times := make([]int, killedStreams)
	if got, err := load(p); err != nil {
		return err
	} else if got != nil {
		for i, n := range strings.Fields(got.head) {
			times[i], _ = strconv.Atoi(n)
		}
	}
	for {
		var c checkpoint.Change
		var list []checkpoint.Stream
		for i := range times {
			if rng.IntN(3) == 0 {
				times[i]++
				list = append(list, stream(fmt.Sprint(i), state(i, times[i])))
			}
		}
		c.Streams = slices.Values(list)
		c.Head = []byte(strings.Trim(fmt.Sprint(times), "[]"))
		if err := p.Save(context.Background(), &c); err != nil {
			return err
		}
		fmt.Println(string(c.Head))
	}
}

// A process that is killed at any time leaves a checkpoint that it made, and
// none that is older than the last that it reported.
func TestKilled(t *testing.T) {
	if path := os.Getenv(killedVariable); path != "" {
		t.Fatal(saveOn(path))
	}
	t.Parallel()
	path := filepath.Join(t.TempDir(), "checkpoints")
	rng := rand.New(rand.NewPCG(9, 9))
	rounds := exhaustive.Or(3, 40)
	last := ""
	for range rounds {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
		cmd.Env = append(os.Environ(), killedVariable+"="+path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		reported := bufio.NewScanner(out)
		for range 1 + rng.IntN(30) {
			if !reported.Scan() {
				t.Fatal("it ends by itself")
			}
			last = reported.Text()
		}
		time.AfterFunc(time.Duration(rng.IntN(10_000))*time.Microsecond, func() { cmd.Process.Kill() })
		for reported.Scan() {
			if strings.Count(reported.Text(), " ") == killedStreams-1 { // else it is cut off
				last = reported.Text()
			}
		}
		cmd.Wait()
		s := openAt(t, path)
		got, err := load(partOf(t, s, "a"))
		if err != nil || got == nil {
			t.Fatalf("after a kill: %v, error %v", got, err)
		}
		s.Close()
		old := strings.Fields(last)
		for i, times := range strings.Fields(got.head) {
			n, _ := strconv.Atoi(times)
			reported, _ := strconv.Atoi(old[i])
			want := state(i, n)
			if n == 0 {
				want = ""
			}
			if got.streams[fmt.Sprint(i)] != want {
				t.Fatalf("stream %d is not as it was saved for the %dth time", i, n)
			}
			if n < reported {
				t.Fatalf("stream %d is as it was saved for the %dth time, and the %dth was notified of", i, n, reported)
			}
		}
	}
}
