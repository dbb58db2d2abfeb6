package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// For how long a file is copied again that is written meanwhile, and the pause
// between: a large checkpoint is written for some seconds.
const (
	patience = time.Minute
	between  = 20 * time.Millisecond
)

// snapshot copies a file of bbolt as it is between two transactions. What belongs
// to one is not overwritten before the next one has ended: so the copy is whole if
// none has ended meanwhile, and each of them changes a first page.
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
	return 0, fmt.Errorf("%s is written again and again while it is copied: try again, or let the monitor write less often, with --checkpoint-every", from)
}

func copyOnce(from, to string) (size int64, same bool, err error) {
	in, err := os.Open(from)
	if err != nil {
		return 0, false, err
	}
	defer in.Close() // it is only read
	before := firstPages(in)
	out, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, false, err
	}
	size, err = io.Copy(out, in)
	return size, before == firstPages(in), errors.Join(err, out.Close())
}

// firsts is what a file's first pages say.
type firsts struct {
	both  [2]meta
	whole [2]bool
}

func firstPages(file io.ReaderAt) (f firsts) {
	f.both, f.whole = metas(file)
	return f
}
