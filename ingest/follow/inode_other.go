//go:build !unix

package follow

import "io/fs"

// inodeOf is 0: files are recognized by their content alone.
func inodeOf(fs.FileInfo) uint64 { return 0 }
