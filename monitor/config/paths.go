package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"tracecheck/ingest/swarm"
	"tracecheck/internal/files"
	"tracecheck/internal/flagvalue"
	"tracecheck/monitor/checkpoint/local"
)

// checkFiles checks the named files. Inputs must be readable, outputs must be writable, and
// all must differ. It writes nothing.
func (m *Flags) checkFiles() error {
	seen := map[string]string{}
	for _, f := range m.files() {
		path, err := filepath.Abs(f.path)
		if err != nil {
			return m.Fault(f.flag, "%w", err)
		}
		path = files.Real(path)
		if other := seen[path]; other != "" {
			return m.Fault(f.flag, "%s is named twice: by --%s, too", f.path, other)
		}
		seen[path] = f.flag
		if err := f.check(f.path); err != nil {
			return m.Fault(f.flag, "%w", err)
		}
	}
	return nil
}

// namedFile is a file that a flag names.
type namedFile struct {
	flag, path string
	check      func(path string) error
}

func (m *Flags) files() []namedFile {
	var list []namedFile
	for _, path := range m.follow {
		list = append(list, namedFile{"follow", path, appears})
	}
	for _, f := range []namedFile{
		{"swarm", m.socket, isSocket},
		{"checkpoint", m.checkpoint, writable},
		{"dead-letters", m.deadLetters, writable},
		{"alerts", m.alerts, writable},
		{"webhook-token-file", m.webhookToken, hasToken},
	} {
		if f.path != "" && (f.flag != "alerts" || f.path != "-" && f.path != flagvalue.None) {
			list = append(list, f)
		}
	}
	if m.checkpoint != "" {
		list = append(list, namedFile{"checkpoint", m.checkpoint + local.OtherSuffix, writable})
	}
	return list
}

// appears checks a file that may not exist yet.
func appears(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(path, "*?"):
		return fmt.Errorf("%s is a pattern: name each file", path)
	case errors.Is(err, fs.ErrNotExist):
		return inDirectory(path)
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file that can grow", path)
	}
	f, err := os.Open(path)
	if err == nil {
		err = f.Close()
	}
	return err
}

// writable checks that the file can be written or created.
func writable(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0) // O_RDWR does not block on a pipe
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return inDirectory(path)
	case err == nil:
		err = f.Close()
	}
	return err // also for a directory
}

func inDirectory(path string) error {
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return fmt.Errorf("there is no directory for %s: make it first", path)
	}
	return nil
}

func isSocket(path string) error {
	info, err := os.Stat(path)
	if err == nil && info.Mode().Type() != fs.ModeSocket {
		err = fmt.Errorf("%s is not a socket", path)
	}
	if err != nil {
		err = fmt.Errorf("%w: run this on a swarm manager, and name its control socket, such as %s", err, swarm.DefaultSocket)
	}
	return err
}

func hasToken(path string) error {
	_, err := files.ReadSecret(path, "token")
	return err
}
