package local

import (
	"syscall"

	"go.etcd.io/bbolt"
)

// release frees the memory of the mapped file's pages. If that fails, the
// memory stays in use. Pages read again come from the system's cache. A
// transaction keeps the mapping, and the file was checked: its pages exist.
func release(tx *bbolt.Tx) {
	syscall.Syscall(syscall.SYS_MADVISE, tx.DB().Info().Data, uintptr(tx.Size()), syscall.MADV_DONTNEED)
}
