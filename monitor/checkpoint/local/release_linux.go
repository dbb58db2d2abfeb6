package local

import (
	"syscall"

	"go.etcd.io/bbolt"
)

// release gives back the memory of what was read of the file, which is as large as
// the file. What is read again comes from the system's cache.
func (h *half) release() error {
	return h.guarded(func() error {
		return h.db.View(func(tx *bbolt.Tx) error { // under which the file stays where it is in memory
			_, _, errno := syscall.Syscall(syscall.SYS_MADVISE, h.db.Info().Data, uintptr(tx.Size()), syscall.MADV_DONTNEED)
			if errno != 0 {
				return errno
			}
			return nil
		})
	})
}
