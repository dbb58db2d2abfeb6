package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// proc is a process of managers or agents: this program, started again.
type proc struct {
	cmd   *exec.Cmd
	in    io.WriteCloser // commands; its end ends the process
	ready chan struct{}  // closed when the first node is ready
	gone  chan struct{}  // closed when the process has ended
	once  sync.Once
}

// spawn starts this program again. What it writes goes to the log.
func (s *sim) spawn(log string, args ...string) (*proc, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(s.dir, log), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	c := exec.Command(self, args...)
	c.Stderr = f
	in, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	p := &proc{cmd: c, in: in, ready: make(chan struct{}), gone: make(chan struct{})}
	go func() {
		defer f.Close()
		for sc := bufio.NewScanner(out); sc.Scan(); {
			fmt.Fprintln(f, "OUT", time.Now().UTC().Format(clock), sc.Text())
			if strings.HasPrefix(sc.Text(), "READY") {
				p.once.Do(func() { close(p.ready) })
			}
		}
		err := c.Wait()
		close(p.gone)
		s.say("process ended: %s: %v", log, err)
	}()
	return p, nil
}

func (p *proc) ended() bool {
	select {
	case <-p.gone:
		return true
	default:
		return false
	}
}

// tell sends a command. A process that has ended gets none.
func (p *proc) tell(words ...any) { fmt.Fprintln(p.in, words...) }

func (p *proc) signal(sig os.Signal) { p.cmd.Process.Signal(sig) }

// end lets the process stop by itself, and kills it if it does not.
func (p *proc) end(wait <-chan time.Time) {
	p.signal(syscall.SIGCONT)
	p.in.Close()
	select {
	case <-p.gone:
	case <-wait:
		p.signal(syscall.SIGKILL)
		<-p.gone
	}
}
