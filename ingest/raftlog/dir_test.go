package raftlog

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func wantError(t *testing.T, dir, part string) {
	t.Helper()
	if _, err := Open(dir, Options{}); err == nil || !strings.Contains(err.Error(), part) {
		t.Errorf("%v, want %s", err, part)
	}
}

func TestInUse(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the lock is looked for on Linux")
	}
	m := newManager(t)
	m.commit(create(cluster(5)))
	wantError(t, m.dir, "is in use by a running manager: stop the Engine, copy its swarm directory")
}

func TestDirectory(t *testing.T) {
	m := newManager(t)
	m.commit(create(cluster(5)))
	m.stop()
	m.must(os.Rename(m.dir, m.dir+"x"))
	m.must(os.Mkdir(m.dir, 0o700))
	m.must(os.Rename(m.dir+"x", filepath.Join(m.dir, "swarm"))) // the data root
	if _, err := Open(m.dir, Options{}); err != nil {
		t.Error(err)
	}
	in := func(parts ...string) string {
		return filepath.Join(append([]string{m.dir, "swarm"}, parts...)...)
	}
	key, log := in("certificates", "swarm-node.key"), in("raft", "wal-v3-encrypted")

	wantError(t, in("nowhere"), "no such file")
	wantError(t, in("certificates"), "has no raft directory: name a copy of a manager's swarm directory")
	m.must(os.WriteFile(filepath.Join(log, "mine.wal"), nil, 0o600))
	wantError(t, m.dir, "mine.wal does not have the name of a log segment")
	m.must(os.Remove(filepath.Join(log, "mine.wal")))
	m.must(os.WriteFile(in("raft", "snap-v3-encrypted", "mine.snap"), nil, 0o600))
	wantError(t, m.dir, "mine.snap does not have the name of a snapshot")
	m.must(os.Remove(in("raft", "snap-v3-encrypted", "mine.snap")))

	m.must(os.WriteFile(key, []byte("no key"), 0o600))
	wantError(t, m.dir, "is not a PEM file")
	m.must(os.WriteFile(key, []byte("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"), 0o600))
	wantError(t, m.dir, "has no key of the log: its node was no manager")
	m.must(os.Remove(key))
	wantError(t, m.dir, "copy the certificates directory along")

	m.must(os.RemoveAll(log))
	m.must(os.Mkdir(log, 0o700))
	m.must(os.Mkdir(in("x"), 0o700))
	m.dir = filepath.Join(m.dir, "swarm")
	m.writeKeys(nil, m.logger.EncryptionKey)
	wantError(t, m.dir, "has no segment")
	m.must(os.Remove(log))
	wantError(t, m.dir, "no log at "+log)
}
