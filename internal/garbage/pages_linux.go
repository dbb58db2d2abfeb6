package garbage

import (
	"bytes"
	"os"

	"golang.org/x/sys/unix"
)

// advises reports whether advise has an effect, and whether much address space can be had. By
// its setting, the kernel uses large pages always, never, or where a process asks for them.
func advises() bool {
	enabled, _ := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	if !bytes.Contains(enabled, []byte("[madvise]")) {
		return false
	}
	if overcommit, _ := os.ReadFile("/proc/sys/vm/overcommit_memory"); bytes.HasPrefix(overcommit, []byte("2")) {
		return false // address space counts as memory
	}
	var space unix.Rlimit
	err := unix.Getrlimit(unix.RLIMIT_AS, &space)
	return err == nil && space.Cur == unix.RLIM_INFINITY
}

// advise asks for large pages where the memory is not used yet. A failure costs only speed.
func advise(memory []byte) { unix.Madvise(memory, unix.MADV_HUGEPAGE) }
