package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// monitor is what the monitor takes for many streams: memory, the longest stop of
// a checkpoint, and the time of a restart.
func (b *bench) monitor() error {
	const name = "the monitor"
	if !strings.Contains(name, b.only) {
		return nil
	}
	streams := b.crowd()
	many := b.streamsOf11(streams)
	if err := b.make(many); err != nil {
		return err
	}
	if err := b.empty(); err != nil {
		return err
	}
	resident, stop, peak, err := b.follow(many)
	if err != nil {
		return err
	}
	restart, err := b.restart(many)
	if err != nil {
		return err
	}
	fmt.Printf("%-52s %d streams of about 11 objects: %.1f kB a stream resident, %.1f at most; longest stop of a checkpoint %.0f ms; restart %.1f s\n",
		name, streams, kilobytes(resident, streams), kilobytes(peak, streams), 1e3*stop, restart)
	return nil
}

func kilobytes(bytes int64, streams int) float64 { return 1e-3 * float64(bytes) / float64(streams) }

// running is a monitor.
type running struct {
	*exec.Cmd
	url    string
	errors bytes.Buffer
	ended  chan error
}

// startMonitor starts one with the arguments, and with what is set in the environment.
func (b *bench) startMonitor(env []string, args ...string) (*running, error) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := free.Addr().String()
	free.Close()
	args = append([]string{"monitor", "--spec", "swarmkit", "--alerts", "none", "--listen", address}, args...)
	m := &running{url: "http://" + address, ended: make(chan error, 1), Cmd: exec.Command(b.tool, args...)}
	m.Env, m.Stderr = append(os.Environ(), env...), &m.errors
	if err := m.Start(); err != nil {
		return nil, err
	}
	go func() { m.ended <- m.Wait() }()
	return m, nil
}

// following are the arguments that have a monitor judge the file. Its checkpoints are in
// the folder kept.
func (b *bench) following(t trace) []string {
	return []string{"--follow", t.path, "--checkpoint", filepath.Join(b.kept(), "checkpoint.db")}
}

func (b *bench) kept() string { return filepath.Join(b.dir, "monitor") }

// empty removes all checkpoints.
func (b *bench) empty() error { return errors.Join(os.RemoveAll(b.kept()), os.Mkdir(b.kept(), 0o700)) }

// saving compares a monitor that writes a checkpoint each second with validate.
func (b *bench) saving(long trace) comparison {
	c := comparison{name: "monitor, a checkpoint each second / validate", a: command{events: long.events}, b: b.validate(long)}
	c.a.run = func() (float64, error) {
		if err := b.empty(); err != nil {
			return 0, err
		}
		start := time.Now()
		m, err := b.startMonitor(nil, append(b.following(long), "--checkpoint-every", "1s")...)
		if err != nil {
			return 0, err
		}
		end, err := judgedAt(long.events, m)
		_, stopped := m.stop()
		return end.Sub(start).Seconds(), errors.Join(err, stopped)
	}
	return c
}

// judgedAt is when the monitors have judged so many events together. They count them once a
// second, so the end is between two counts: it is where the rate of those before leads to.
func judgedAt(events int, monitors ...*running) (time.Time, error) {
	type count struct {
		at time.Time
		n  float64
	}
	var first, last count
	for {
		now := count{at: time.Now()}
		for _, m := range monitors {
			if err := m.hasEnded(); err != nil {
				return time.Time{}, err
			}
			page, _ := m.get("/metrics")
			now.n += metric(page, "tracecheck_events_total")
		}
		switch {
		case int(now.n) >= events:
			if last.n > first.n {
				left := (float64(events) - last.n) / (last.n - first.n) * float64(last.at.Sub(first.at))
				now.at = last.at.Add(min(time.Duration(left), now.at.Sub(last.at)))
			}
			return now.at, nil
		case first.n == 0:
			first, last = now, now
		case now.n > last.n:
			last = now
		}
		time.Sleep(50 * time.Millisecond) // each reading takes the monitor some of its time
	}
}

// get reads a page; ok is false where it is not there, or not well.
func (m *running) get(page string) (text string, ok bool) {
	r, err := http.Get(m.url + page)
	if err != nil {
		return "", false
	}
	defer r.Body.Close()
	all, err := io.ReadAll(r.Body)
	return string(all), err == nil && r.StatusCode == http.StatusOK
}

// metric is the largest value of those of the name, which has no labels where
// there is but one.
func metric(page, name string) (most float64) {
	for _, found := range regexp.MustCompile(`(?m)^`+name+`(?:\{.*\})? (\S+)$`).FindAllStringSubmatch(page, -1) {
		if v, err := strconv.ParseFloat(found[1], 64); err == nil {
			most = max(most, v)
		}
	}
	return most
}

// hasEnded is the failure of a monitor that ended by itself; nil: it runs.
func (m *running) hasEnded() error {
	select {
	case err := <-m.ended:
		return fmt.Errorf("the monitor ended: %v\n%s", err, tail(m.errors.Bytes()))
	default:
		return nil
	}
}

// stop ends it, and returns its peak resident memory in bytes.
func (m *running) stop() (peak int64, err error) {
	if err := m.Process.Signal(syscall.SIGTERM); err != nil {
		return 0, err
	}
	if err := <-m.ended; err != nil {
		return 0, fmt.Errorf("monitor: %w\n%s", err, tail(m.errors.Bytes()))
	}
	if u, ok := m.ProcessState.SysUsage().(*syscall.Rusage); ok {
		peak = u.Maxrss * 1024 // kilobytes on Linux
	}
	return peak, nil
}

// resident is its memory in bytes, 0 where the system does not tell.
func (m *running) resident() int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", m.Process.Pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "VmRSS:" {
			kb, _ := strconv.ParseInt(f[1], 10, 64)
			return kb * 1024
		}
	}
	return 0
}

// follow has the trace judged, and waits for some checkpoints after that.
func (b *bench) follow(t trace) (resident int64, stop float64, peak int64, err error) {
	const settled = 30 * time.Second // three checkpoints
	m, err := b.startMonitor(nil, b.following(t)...)
	if err != nil {
		return 0, 0, 0, err
	}
	for events, since := 0.0, time.Now(); events < float64(t.events) || time.Since(since) < settled; time.Sleep(time.Second) {
		if err := m.hasEnded(); err != nil {
			return 0, 0, 0, err
		}
		page, _ := m.get("/metrics")
		if n := metric(page, "tracecheck_events_total"); n > events {
			events, since = n, time.Now()
		}
		stop = max(stop, metric(page, "tracecheck_checkpoint_pause_seconds"))
	}
	resident = m.resident()
	peak, err = m.stop()
	return resident, stop, peak, err
}

// restart is how long it takes until a monitor that has a checkpoint judges on,
// in seconds.
func (b *bench) restart(t trace) (float64, error) {
	start := time.Now()
	m, err := b.startMonitor(nil, b.following(t)...)
	if err != nil {
		return 0, err
	}
	for ready := false; !ready; {
		if err := m.hasEnded(); err != nil {
			return 0, err
		}
		time.Sleep(10 * time.Millisecond)
		_, ready = m.get("/readyz")
	}
	took := time.Since(start).Seconds()
	_, err = m.stop()
	return took, err
}
