package preview

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/rogpeppe/go-internal/diff"

	"tracecheck/ingest"
	"tracecheck/internal/amount"
	"tracecheck/report"
	"tracecheck/trace"
)

// Test compares the events that the rules make of the files with the trace in the file
// expected. It shows the differences. well is false if there are any.
//
// Spacing and the order of members do not matter. If the trace has no meta line, meta lines
// are not compared. The same applies to tx.
func Test(ctx context.Context, files []string, expected string, opts Options) (well bool, err error) {
	want, err := readExpected(ctx, expected, opts)
	if err != nil {
		return false, err
	}
	opts.JSONL = true
	meta := slices.ContainsFunc(want, func(e map[string]any) bool { return e["kind"] == "meta" })
	tx := slices.ContainsFunc(want, func(e map[string]any) bool { return e["tx"] != nil })
	var got []map[string]any
	opening := opts.Rules.Opening()
	take := func(events []trace.Event) error {
		for i := range events {
			e := decode(events[i].Raw)
			if !tx {
				delete(e, "tx")
			}
			if meta || e["kind"] != "meta" {
				got = append(got, e)
			}
		}
		return nil
	}
	failed := Each(ctx, files, opts, func(_ *Lines, events []trace.Event) error { return opening.Each(events, take) })
	unfit, bad := errors.AsType[*trace.Error](failed)
	if failed != nil && !bad {
		return false, failed
	}
	differ := diff.Diff("expected, in "+expected, text(want), "made by "+opts.Rules.File, text(got))
	if _, err := report.Visible(opts.Out).Write(differ); err != nil {
		return false, fmt.Errorf("cannot write: %w", err)
	}
	if bad {
		fmt.Fprintf(opts.Notes, "tracecheck: %v\n", unfit)
		return false, nil
	}
	if len(differ) == 0 {
		_, err = fmt.Fprintf(opts.Out, "%s: %s, as expected\n", opts.Rules.File, amount.Of(len(got), "event"))
	}
	return len(differ) == 0, err
}

// readExpected reads the expected trace.
func readExpected(ctx context.Context, name string, opts Options) (list []map[string]any, err error) {
	reader, err := ingest.Open([]string{name}, ingest.Options{MaxLine: opts.MaxLine, Stdin: opts.Stdin})
	if err != nil {
		return nil, err
	}
	defer reader.Close() // read only: nothing is lost
	for {
		block, err := reader.Next(ctx)
		switch {
		case err == io.EOF:
			return list, nil
		case err != nil:
			return nil, fmt.Errorf("the expected events: %w", err)
		}
		for i := range block.Events {
			list = append(list, decode(block.Events[i].Raw))
		}
		block.Release()
	}
}

// decode reads an event, which is valid JSON. A number keeps its text.
func decode(raw string) map[string]any {
	d := json.NewDecoder(bytes.NewReader([]byte(raw)))
	d.UseNumber()
	var e map[string]any
	_ = d.Decode(&e) // it was decoded before
	return e
}

// order is the order of an event's members in the output; others follow.
var order = []string{"stream", "seq", "time", "tx", "kind", "op", "id", "actor", "action", "object"}

// text returns the events in a normal form, one on each line.
func text(events []map[string]any) []byte {
	var b bytes.Buffer
	for _, e := range events {
		keys := slices.SortedFunc(maps.Keys(e), func(a, b string) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b)) })
		for i, key := range keys {
			b.WriteString(map[bool]string{true: "{", false: ","}[i == 0])
			fmt.Fprintf(&b, "%q:", key)
			enc := json.NewEncoder(&b)
			enc.SetEscapeHTML(false)
			_ = enc.Encode(e[key]) // it was decoded from JSON
			b.Truncate(b.Len() - 1)
		}
		b.WriteString("}\n")
	}
	return b.Bytes()
}

func rank(key string) int {
	if i := slices.Index(order, key); i >= 0 {
		return i
	}
	return len(order)
}
