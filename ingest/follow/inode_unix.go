//go:build unix

package follow

import (
	"io/fs"
	"syscall"
)

// inodeOf is the file's number on its device.
func inodeOf(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Ino)
	}
	return 0
}
