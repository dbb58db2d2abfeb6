package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// New creates a file that does not exist yet. A device, such as /dev/null, is opened.
func New(name string, mode os.FileMode) (*os.File, error) {
	flag := os.O_WRONLY | os.O_CREATE | os.O_APPEND
	if !IsDevice(name) {
		flag |= os.O_EXCL
	}
	f, err := os.OpenFile(name, flag, mode)
	return f, Advise(err)
}

// Create writes a file that does not exist yet: all of the data, or no file.
func Create(name string, data []byte) error {
	f, err := New(name, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil && !IsDevice(name) {
		os.Remove(name)
	}
	return err
}

// Advise adds what to do to the error of a file or folder that cannot be created.
func Advise(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: make the folder first", err)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%w: choose a folder that you may write to", err)
	}
	return err
}

// IsDevice reports whether the name is that of a device or a pipe, which keeps nothing.
func IsDevice(name string) bool {
	info, err := os.Stat(name)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}
