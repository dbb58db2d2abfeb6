package files

import "os"

// New creates a file that does not exist yet. A device, such as /dev/null, is opened.
func New(name string, mode os.FileMode) (*os.File, error) {
	flag := os.O_WRONLY | os.O_CREATE | os.O_APPEND
	if !IsDevice(name) {
		flag |= os.O_EXCL
	}
	return os.OpenFile(name, flag, mode)
}

// IsDevice reports whether the name is that of a device or a pipe, which keeps nothing.
func IsDevice(name string) bool {
	info, err := os.Stat(name)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}
