package local

import (
	"syscall"

	"go.etcd.io/bbolt"
)

// release gives back the memory of what was read of the file, which is as large as
// the file; at worst it stays. What is read again comes from the system's cache.
// Under a transaction the file stays where it is in memory, and it was looked
// through: it has so many pages.
func release(tx *bbolt.Tx) {
	syscall.Syscall(syscall.SYS_MADVISE, tx.DB().Info().Data, uintptr(tx.Size()), syscall.MADV_DONTNEED)
}
