package garbage

import (
	"os"
	"path/filepath"
)

// LargeInput is the size from which an input is large, in bytes. Judging it takes much longer than
// to prepare for it.
const LargeInput = 8 << 20

// packed is how many bytes a byte of a compressed file has, about.
const packed = 8

// IsLarge reports whether the input may be large: its files are, or one is a pipe or a device. "-" is
// standard input. Files that do not exist count nothing.
func IsLarge(files []string) bool {
	var size int64
	for _, name := range files {
		if name == "-" {
			return true
		}
		if info, err := os.Stat(name); err == nil {
			if !info.Mode().IsRegular() {
				return true
			}
			size += info.Size()
			if end := filepath.Ext(name); end == ".gz" || end == ".zst" {
				size += (packed - 1) * info.Size()
			}
		}
	}
	return size >= LargeInput
}
