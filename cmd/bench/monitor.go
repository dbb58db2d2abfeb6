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

// startMonitor starts one with the arguments, and with what is set in the environment. It
// writes its alerts to found.
func (b *bench) startMonitor(found io.Writer, env []string, args ...string) (*running, error) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := free.Addr().String()
	free.Close()
	args = append([]string{"monitor", "--spec", "swarmkit", "--listen", address}, args...)
	m := &running{url: "http://" + address, ended: make(chan error, 1), Cmd: exec.Command(b.tool, args...)}
	m.Env, m.Stdout, m.Stderr = append(os.Environ(), env...), found, &m.errors
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
	long, write := b.marked(long)
	c.prepare = func(*comparison) error { return write() }
	c.a.run = func() (float64, error) {
		if err := b.empty(); err != nil {
			return 0, err
		}
		start, found := time.Now(), newAlerts()
		m, err := b.startMonitor(found, nil, append(b.following(long), "--checkpoint-every", "1s")...)
		if err != nil {
			return 0, err
		}
		end, err := judgedAt(found, m)
		return end.Sub(start).Seconds(), errors.Join(err, m.stop())
	}
	return c
}

// marks are the lines at the end of a marked trace. Each has a stream of its own, and a format that
// there is not yet. The alerts that these streams are unusable show when all is judged.
const marks = 64 // so each of some partitions has one

func mark(i int) string {
	return fmt.Sprintf(`{"stream":"mark%d","kind":"meta","object":{"format":2}}`, i)
}

// marked writes the trace and the marks.
func (b *bench) marked(t trace) (to trace, write func() error) {
	to = trace{path: t.path + "-marked", events: t.events}
	return to, func() error {
		if err := b.make(t); err != nil {
			return err
		}
		in, err := os.Open(t.path)
		if err != nil {
			return err
		}
		defer in.Close()
		out, err := os.Create(to.path)
		if err != nil {
			return err
		}
		_, err = io.Copy(out, in)
		for i := range marks {
			_, e := fmt.Fprintln(out, mark(i))
			err = errors.Join(err, e)
		}
		return errors.Join(err, out.Close())
	}
}

// alerts gets the time of each line that is written to it. It drops those that it has no room
// for, so that a monitor can always end.
type alerts chan time.Time

func newAlerts() alerts { return make(alerts, marks) }

func (a alerts) Write(p []byte) (int, error) {
	for range bytes.Count(p, []byte{'\n'}) {
		select {
		case a <- time.Now():
		default:
		}
	}
	return len(p), nil
}

// judgedAt is when the monitors have judged a marked trace together. They send their alerts to found.
func judgedAt(found alerts, monitors ...*running) (at time.Time, err error) {
	for n := 0; n < marks; {
		select {
		case at = <-found:
			n++
		case <-time.After(time.Second):
			for _, m := range monitors {
				if err := m.hasEnded(); err != nil {
					return at, err
				}
			}
		}
	}
	return at, nil
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

// stop ends it.
func (m *running) stop() error {
	if err := m.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	if err := <-m.ended; err != nil {
		return fmt.Errorf("monitor: %w\n%s", err, tail(m.errors.Bytes()))
	}
	return nil
}

// memory is its resident memory in bytes, now or at most; 0 where the system does not tell. What it
// uses when it has ended would include this process's memory at its start.
func (m *running) memory(which string) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", m.Process.Pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == which {
			kb, _ := strconv.ParseInt(f[1], 10, 64)
			return kb * 1024
		}
	}
	return 0
}

// follow has the trace judged, and waits for some checkpoints after that.
func (b *bench) follow(t trace) (resident int64, stop float64, peak int64, err error) {
	const settled = 30 * time.Second // three checkpoints
	m, err := b.startMonitor(nil, nil, b.following(t)...)
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
	return m.memory("VmRSS:"), stop, m.memory("VmHWM:"), m.stop()
}

// restart is how long it takes until a monitor that has a checkpoint judges on,
// in seconds.
func (b *bench) restart(t trace) (float64, error) {
	start := time.Now()
	m, err := b.startMonitor(nil, nil, b.following(t)...)
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
	return time.Since(start).Seconds(), m.stop()
}
