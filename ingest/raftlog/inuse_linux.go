package raftlog

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// checkUnused checks for the lock that a running manager holds. Files that
// change while they are read are inconsistent.
func checkUnused(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	lock := unix.Flock_t{Type: unix.F_RDLCK}
	if err := unix.FcntlFlock(f.Fd(), unix.F_OFD_GETLK, &lock); err != nil {
		return nil // a file system without locks
	}
	if lock.Type != unix.F_UNLCK {
		return fmt.Errorf("%s is in use by a running manager: stop the Engine, copy its swarm directory, and import the copy", path)
	}
	return nil
}
