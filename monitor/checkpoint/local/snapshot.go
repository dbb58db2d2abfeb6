package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// How long to retry the copy of a file that is being written, and the pause.
// Writing a large checkpoint takes seconds.
const (
	patience = time.Minute
	between  = 20 * time.Millisecond
)

// snapshot copies a bbolt file as of the end of a transaction. The next
// transaction does not overwrite that state, and its end changes a first page.
// So the copy is consistent if no transaction ended meanwhile.
func snapshot(ctx context.Context, from, to string) (size int64, err error) {
	for start := time.Now(); time.Since(start) < patience; {
		size, same, err := copyOnce(from, to)
		if err != nil || same {
			return size, err
		}
		select {
		case <-time.After(between):
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
	return 0, fmt.Errorf("%s changes too often to be copied: try again, or raise the monitor's --checkpoint-every", from)
}

func copyOnce(from, to string) (size int64, same bool, err error) {
	in, err := os.Open(from)
	if err != nil {
		return 0, false, err
	}
	defer in.Close() // read only
	if info, err := in.Stat(); err == nil && info.IsDir() {
		return 0, false, notOurs{from, "a directory"}
	}
	before := firstPages(in)
	out, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, false, err
	}
	size, err = io.Copy(out, in)
	return size, before == firstPages(in), errors.Join(err, out.Close())
}

// firsts is the content of a file's first two pages.
type firsts struct {
	both  [2]meta
	whole [2]bool
}

func firstPages(file io.ReaderAt) (f firsts) {
	f.both, f.whole = metas(file)
	return f
}
