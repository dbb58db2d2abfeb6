package follow

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"tracecheck/internal/exhaustive"
)

// history does to a log what writers and rotation do, and knows what has to
// come of it.
type history struct {
	*disk
	*rand.Rand
	lines   []string // all that have their ends, in order: "line id"
	lost    map[string]bool
	next    int // for ids
	line    int // of the current file
	open    string
	rotated int // how many files there are beside it
}

// write appends whole lines, perhaps after the end of one, or the start of one.
func (h *history) write() {
	var text strings.Builder
	if h.open != "" {
		text.WriteString(h.open)
		h.open = ""
		h.ended()
	}
	for range h.IntN(30) {
		text.WriteString(node(h.id()))
		h.ended()
	}
	if h.IntN(4) == 0 {
		line := node(h.id())
		cut := 1 + h.IntN(len(line)-1)
		text.WriteString(line[:cut])
		h.open = line[cut:]
	}
	h.add(logName, text.String())
}

// end ends the current line: what follows is in another file.
func (h *history) end() {
	if h.open != "" {
		h.add(logName, h.open)
		h.open = ""
		h.ended()
	}
}

func (h *history) id() string {
	h.next++
	return fmt.Sprint("n", h.next)
}

func (h *history) ended() {
	h.line++
	id := h.next
	h.lines = append(h.lines, fmt.Sprintf("%d n%d", h.line, id))
}

// shift renames the rotated files, so that .1 is free.
func (h *history) shift() {
	h.rotated++
	for i := h.rotated; i > 1; i-- {
		for _, ext := range []string{"", ".gz", ".zst"} {
			if _, err := os.Stat(h.path(fmt.Sprint(logName, ".", i-1, ext))); err == nil {
				h.rename(fmt.Sprint(logName, ".", i-1, ext), fmt.Sprint(logName, ".", i, ext))
			}
		}
	}
}

// pack compresses one of the rotated files that is not.
func (h *history) packSome() {
	for i := h.rotated; i > 1; i-- {
		name := fmt.Sprint(logName, ".", i)
		if _, err := os.Stat(h.path(name)); err == nil {
			h.pack(name, []string{".gz", ".zst"}[h.IntN(2)])
			return
		}
	}
}

// TestRandom: whatever happens to the file and to who follows it, each line
// comes once, in order, with its number, but for those that a truncation
// destroyed, which is reported.
func TestRandom(t *testing.T) {
	t.Parallel()
	seeds := exhaustive.Or(3, 12)
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			h := &history{disk: newDisk(t), Rand: rand.New(rand.NewPCG(uint64(seed), 6)), lost: map[string]bool{}}
			for len(h.lines) == 0 {
				h.write()
			}
			f := h.follow()
			f.until("it has begun", func() bool { return f.from != "" })
			running := true
			for range 150 {
				switch h.IntN(12) {
				case 0: // rename and create
					h.end()
					h.shift()
					h.rename(logName, logName+".1")
					h.line = 0
					h.write()
				case 1: // copy and truncate
					h.end()
					h.shift()
					h.copy(logName, logName+".1")
					h.truncate(logName, 0)
					h.line = 0
				case 2: // truncate
					if h.IntN(3) > 0 {
						continue // rarely
					}
					h.end()
					if running {
						h.caughtUp(f)
					}
					if running || h.hasBegun(f) {
						h.wipe(f)
					}
				case 3:
					h.packSome()
				case 4: // stop, and go on from one of the last checkpoints
					if running {
						f.end()
						back := f.saved[max(0, len(f.saved)-1-h.IntN(4)):]
						if len(back) > 0 {
							f.got, f.from = f.got[:back[0].got], back[0].from
						}
						f.saved = nil
					} else {
						f.start()
					}
					running = !running
				case 5, 6:
					time.Sleep(time.Duration(h.IntN(60)) * time.Millisecond)
				default:
					h.write()
				}
			}
			if !running {
				f.start()
			}
			h.end()
			h.caughtUp(f)
			f.end()
			h.compare(f)
		})
	}
}

// caughtUp waits for the last line.
func (h *history) caughtUp(f *follower) {
	h.t.Helper()
	if last := h.lines[len(h.lines)-1]; !h.lost[last] {
		f.until("the last is "+last, func() bool { return slices.Contains(f.got, last) })
	}
}

// hasBegun reports whether a line of the current file was read: without one,
// nobody can know that it had any.
func (h *history) hasBegun(f *follower) bool {
	return h.line > 0 && slices.Contains(f.got, h.lines[len(h.lines)-h.line])
}

// wipe truncates the file without a copy.
func (h *history) wipe(f *follower) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := len(h.lines) - 1; i >= len(h.lines)-h.line; i-- {
		if !slices.Contains(f.got, h.lines[i]) {
			h.lost[h.lines[i]] = true
		}
	}
	h.truncate(logName, 0)
	h.line, f.saved = 0, nil
}

func (h *history) compare(f *follower) {
	var got []string
	missed := 0
	for _, g := range f.got {
		if strings.HasPrefix(g, "missed ") {
			missed++
		} else {
			got = append(got, g)
		}
	}
	var want []string
	gone := 0
	for _, w := range h.lines {
		if h.lost[w] && !slices.Contains(got, w) {
			gone++
		} else {
			want = append(want, w)
		}
	}
	if gone > 0 && missed == 0 {
		h.t.Errorf("%d lines are gone, and it was not reported", gone)
	}
	if !slices.Equal(got, want) {
		i := 0
		for i < min(len(got), len(want)) && got[i] == want[i] {
			i++
		}
		h.t.Errorf("%d lines, want %d; they differ from the %dth on: %q, want %q", len(got), len(want), i,
			got[i:min(len(got), i+8)], want[i:min(len(want), i+8)])
	}
	h.t.Logf("%d lines, %d gone, %d rotated files, missed was reported %d times", len(want), gone, h.rotated, missed)
}
