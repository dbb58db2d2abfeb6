package raftlog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// directory has the paths of a manager's files.
type directory struct {
	wal  string
	snap string
	key  string // the node's TLS key; its PEM headers have the keys of the log
}

// locate accepts the swarm's directory, or the Engine's data root above it.
func locate(dir string) (directory, error) {
	if _, err := os.Stat(dir); err != nil {
		return directory{}, err
	}
	for _, root := range []string{dir, filepath.Join(dir, "swarm")} {
		if info, err := os.Stat(filepath.Join(root, "raft")); err == nil && info.IsDir() {
			return open(root)
		}
	}
	return directory{}, fmt.Errorf("%s has no raft directory: name a copy of a manager's swarm directory, by default /var/lib/docker/swarm (a worker's has no log)", dir)
}

func open(root string) (directory, error) {
	d := directory{
		wal:  filepath.Join(root, "raft", "wal-v3-encrypted"),
		snap: filepath.Join(root, "raft", "snap-v3-encrypted"),
		key:  filepath.Join(root, "certificates", "swarm-node.key"),
	}
	if _, err := os.Stat(d.wal); errors.Is(err, fs.ErrNotExist) {
		return directory{}, fmt.Errorf("no log at %s: copy the whole swarm directory; one of an Engine before 1.13 must be opened by a newer Engine first", d.wal)
	}
	return d, nil
}
