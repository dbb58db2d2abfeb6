package input

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/zap"

	"tracecheck/ingest"
	"tracecheck/trace"
)

func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"seq":%d,"kind":"node","op":"update","id":"n%d","object":{"state":"up"}}`+"\n", i, i)
	}
	return b.String()
}

// ids reads the input, as far as the event of that number.
func ids(t *testing.T, in *Input, until int) (list []string, err error) {
	enough := errors.New("enough")
	err = in.Each(t.Context(), "test", func(events []trace.Event) error {
		for i := range events {
			if len(list) == until {
				return enough
			}
			list = append(list, strings.Clone(events[i].ID))
		}
		return nil
	})
	if err == enough {
		err = nil
	}
	return list, err
}

// Each reading of an input that is read repeatedly gives the same events and the same
// error, also after one that was left early.
func TestRepeat(t *testing.T) {
	const all, bad = 40_000, "no event\n"
	file := filepath.Join(t.TempDir(), "t.jsonl")
	for _, end := range []string{"", bad} {
		text := lines(all) + end
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{file, "-"} {
			for _, bytes := range []int{0, 64 << 10} {
				for _, first := range []int{all + 1, 3} {
					in := &Input{Names: []string{name}, Repeat: true, keepBytes: bytes, Log: zap.NewNop(),
						Limits: ingest.Options{Stdin: strings.NewReader(text)}}
					got, _ := ids(t, in, first)
					if len(got) != min(first, all) {
						t.Fatalf("%s: %d events, want %d", name, len(got), first)
					}
					again, err := ids(t, in, all+1)
					if name == "-" && bytes > 0 {
						if err == nil || !strings.Contains(err.Error(), "write it to a file first") {
							t.Errorf("%d bytes are kept of standard input, and it is read again: %v", bytes, err)
						}
						continue
					}
					_, unfit := errors.AsType[*trace.Error](err)
					if len(again) != all || !slices.Equal(again[:len(got)], got) || unfit != (end == bad) || err != nil && !unfit {
						t.Errorf("%s, %d bytes, left at %d, end %q: then %d events and %v", name, bytes, first, end, len(again), err)
					}
				}
			}
		}
	}
}
