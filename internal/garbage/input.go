package garbage

import "os"

// LargeInput is the size from which an input is large, in bytes. Judging it takes much longer than
// to prepare for it.
const LargeInput = 16 << 20

// IsLarge reports whether the input may be large: its files are, or one is a pipe or a device. "-" is
// standard input. Files that do not exist count nothing.
func IsLarge(files []string) bool {
	var size int64
	for _, name := range files {
		if name == "-" {
			return true
		}
		if info, err := os.Stat(name); err == nil {
			if size += info.Size(); !info.Mode().IsRegular() {
				return true
			}
		}
	}
	return size >= LargeInput
}
