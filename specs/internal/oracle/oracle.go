// Package oracle is what the oracles of the specs' tests have in common: the
// lines of a trace, its steps, and random damage. It uses nothing of the checker.
package oracle

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"
)

// Event is one line of a trace.
type Event struct {
	Stream string         `json:"stream,omitempty"`
	Seq    *int           `json:"seq,omitempty"`
	Time   string         `json:"time,omitempty"`
	Tx     any            `json:"tx,omitempty"`
	Kind   string         `json:"kind"`
	Op     string         `json:"op,omitempty"`
	ID     string         `json:"id,omitempty"`
	Actor  string         `json:"actor,omitempty"`
	Action string         `json:"action,omitempty"`
	Object map[string]any `json:"object,omitempty"`

	Line   int  `json:"-"` // from 1
	Pinned bool `json:"-"` // no mutator drops or moves it
}

// Parse reads a line that an oracle's writer wrote.
func Parse(text string, line int) Event {
	var e Event
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		panic(err)
	}
	e.Line = line
	return e
}

// Lines are the lines of the events.
func Lines(events []Event) []string {
	lines := make([]string, len(events))
	for i, e := range events {
		text, err := json.Marshal(e)
		if err != nil {
			panic(err) // every field is plain data
		}
		lines[i] = string(text)
	}
	return lines
}

// Render numbers and dates the events in one of the ways that the format has,
// and returns their lines. blank is the probability of a blank line before each.
func Render(rng *rand.Rand, events []Event, blank float64) []string {
	stream := Pick(rng, []string{"", "", "prod-eu"})
	seq, numbered := rng.IntN(2000), Chance(rng, 0.3)
	clock, dated := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC), Chance(rng, 0.3)
	var lines []string
	for _, e := range events {
		e.Stream = stream
		if numbered && e.Kind != "meta" && e.Op != "snapshot" {
			n := seq
			seq++
			e.Seq = &n
		}
		if dated && e.Kind != "meta" {
			clock = clock.Add(time.Duration(rng.IntN(900)) * time.Millisecond)
			e.Time = clock.Format(time.RFC3339Nano)
		}
		if Chance(rng, blank) {
			lines = append(lines, "")
		}
		lines = append(lines, Lines([]Event{e})...)
	}
	return lines
}

// Together gives the lines of one step their tx, a number or a name; a single line may do
// without.
func Together(rng *rand.Rand, events []Event, number int) []Event {
	if len(events) == 1 && Chance(rng, 0.5) {
		return events
	}
	var tx any = float64(number)
	if number%3 == 0 {
		tx = "tx-" + strconv.Itoa(number)
	}
	for i := range events {
		events[i].Tx = tx
	}
	return events
}

// Steps calls step with the lines of each step, and of each run of snapshots of one stream. It
// ends when step returns false. It calls meta with the object of each meta line. Empty lines
// count, and are skipped.
func Steps(lines []string, meta func(map[string]any), step func([]Event) bool) {
	var run []Event
	for i, text := range lines {
		if text == "" {
			continue
		}
		e := Parse(text, i+1)
		if e.Kind == "meta" {
			meta(e.Object)
			continue
		}
		if len(run) > 0 && !joined(run[len(run)-1], e) {
			if !step(run) {
				return
			}
			run = nil
		}
		run = append(run, e)
	}
	if len(run) > 0 {
		step(run)
	}
}

// joined says whether two neighbouring lines are of one step, or of one run of
// snapshots.
func joined(last, e Event) bool {
	if last.Op == "snapshot" || e.Op == "snapshot" {
		return last.Op == e.Op
	}
	return e.Tx != nil && e.Tx == last.Tx
}

// NewRand is the random generator of a case.
func NewRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// Chance is true with the probability p.
func Chance(rng *rand.Rand, p float64) bool { return rng.Float64() < p }

// Pick is one of the list, which is not empty.
func Pick[T any](rng *rand.Rand, list []T) T { return list[rng.IntN(len(list))] }

// Shuffled is a copy of the list in random order.
func Shuffled[T any](rng *rand.Rand, list []T) []T {
	list = slices.Clone(list)
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}
