// Package show prints the contents of a pair of checkpoint files.
package show

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"sort"
	"strings"
	"time"

	"tracecheck/internal/amount"
	"tracecheck/monitor"
	"tracecheck/monitor/alert"
	"tracecheck/monitor/board"
	"tracecheck/monitor/checkpoint/local"
	"tracecheck/report"
)

// The contents of a pair of checkpoint files, in the form of the output.

type Checkpoints struct {
	Damaged bool             `json:"damaged"`
	Files   []checkpointFile `json:"files"`
	Parts   []checkpointPart `json:"parts"`
}

type checkpointFile struct {
	File   string `json:"file"`
	There  bool   `json:"there"`
	Bytes  int64  `json:"bytes"`
	Damage string `json:"damage,omitempty"`
}

type checkpointPart struct {
	Part        string           `json:"part"`
	Checkpoints []checkpointKept `json:"checkpoints"`    // the last first
	Last        *checkpointLast  `json:"last,omitempty"` // the contents of the one that a monitor would resume from
}

type checkpointKept struct {
	File    string    `json:"file"`
	Number  uint64    `json:"number"`
	Saved   time.Time `json:"saved,omitzero"`
	Streams int       `json:"records"`
	Bytes   int64     `json:"bytes"`
	Damage  string    `json:"damage,omitempty"`
}

type checkpointLast struct {
	File       string            `json:"file"`
	Saved      time.Time         `json:"saved,omitzero"`
	Position   string            `json:"position"`
	Cluster    string            `json:"cluster,omitempty"`
	Topic      string            `json:"topic_id,omitempty"`
	Settings   string            `json:"settings"`
	Missed     string            `json:"missed,omitempty"`
	Streams    int               `json:"streams"`
	StateBytes int64             `json:"state_bytes"`
	Events     int64             `json:"events"`
	Steps      int64             `json:"steps"`
	Violations int64             `json:"violations"`
	ByRule     []shownRule       `json:"by_rule"`
	Bad        int64             `json:"bad_inputs"`
	Pending    []checkpointAlert `json:"pending_alerts"`
	Sizes      map[string]int    `json:"stream_bytes,omitempty"` // by stream

	Acked []board.Acknowledgement `json:"acknowledged,omitempty"`
}

type shownRule struct {
	Spec  string `json:"spec"`
	Rule  string `json:"rule"`
	Count int64  `json:"count"`
}

type checkpointAlert struct {
	ID      string     `json:"id"`
	Kind    alert.Kind `json:"kind"`
	Stream  string     `json:"stream"`
	Message string     `json:"message"`
	For     []string   `json:"for,omitempty"` // receivers that lack it; none: all
}

// Of returns the state of both files, and the checkpoints of each part, without their streams.
func Of(r *local.Reader) *Checkpoints {
	all := &Checkpoints{Parts: []checkpointPart{}}
	damage := func(err error) string {
		if err == nil {
			return ""
		}
		all.Damaged = true
		return strings.ReplaceAll(err.Error(), "\n", "; ")
	}
	for i := range r.Files {
		f := &r.Files[i]
		all.Files = append(all.Files, checkpointFile{File: f.Path, There: f.There, Bytes: f.Size, Damage: damage(f.Err)})
	}
	for _, name := range r.Parts() {
		both, at := r.Part(name)
		p := checkpointPart{Part: name}
		for i, kept := range both {
			if !kept.There && kept.Err == nil {
				continue
			}
			c := checkpointKept{File: r.Files[i].Path, Number: kept.Number, Streams: kept.Streams, Bytes: kept.Bytes, Damage: damage(kept.Err)}
			if says, err := monitor.ReadKept(kept.Head); kept.Err == nil && err != nil {
				c.Damage = damage(fmt.Errorf("%s: its head cannot be read: %w", c.File, err))
			} else if err == nil {
				c.Saved = says.Saved
				if i == at {
					p.Last = lastOf(says, c.File)
				}
			}
			p.Checkpoints = append(p.Checkpoints, c)
		}
		sort.SliceStable(p.Checkpoints, func(i, j int) bool { return p.Checkpoints[i].Number > p.Checkpoints[j].Number })
		all.Parts = append(all.Parts, p)
	}
	return all
}

func lastOf(says *monitor.Kept, file string) *checkpointLast {
	last := &checkpointLast{
		File: file, Saved: says.Saved, Position: string(says.Position), Cluster: says.Of.Cluster, Topic: says.Of.Topic, Settings: says.Settings,
		Events: says.Counted.Events, Steps: says.Counted.Steps, Violations: says.Violations, Bad: says.Counted.Bad,
		ByRule: []shownRule{}, Pending: []checkpointAlert{}, Acked: says.Acked,
	}
	if says.Missed != nil {
		last.Missed = says.Missed.Error()
	}
	for _, c := range says.Counted.ByRule {
		last.ByRule = append(last.ByRule, shownRule(c))
	}
	for i := range says.Pending {
		a := &says.Pending[i].Alert
		last.Pending = append(last.Pending, checkpointAlert{ID: a.ID, Kind: a.Kind, Stream: a.Stream, Message: a.Message, For: says.Pending[i].For})
	}
	return last
}

// AddStreams counts the streams of each part. If each is set, it also keeps their sizes.
func (all *Checkpoints) AddStreams(ctx context.Context, r *local.Reader, each bool) error {
	for i := range all.Parts {
		last := all.Parts[i].Last
		if last == nil {
			continue
		}
		if each {
			last.Sizes = map[string]int{}
		}
		err := r.Each(ctx, all.Parts[i].Part, func(record string, state []byte) error {
			if stream, ok := monitor.KeptStream(record); ok {
				last.Streams++
				last.StateBytes += int64(len(state))
				if each {
					last.Sizes[stream] = len(state)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Forget drops everything except damage.
func (all *Checkpoints) Forget() {
	for i := range all.Parts {
		all.Parts[i].Last = nil
	}
}

// WriteJSON writes one object on one line.
func (all *Checkpoints) WriteJSON(w io.Writer) error { return report.Encode(w, all) }

// WriteText writes the files, then each part, and last the verdict.
func (all *Checkpoints) WriteText(w io.Writer) error {
	b := bufio.NewWriter(report.Visible(w))
	for _, f := range all.Files {
		switch {
		case f.Damage != "":
			fmt.Fprintf(b, "DAMAGED: %s\n", report.Clean(f.Damage))
		case f.There:
			fmt.Fprintf(b, "%s: %s\n", report.Clean(f.File), amount.Of(int(f.Bytes), "byte"))
		}
	}
	for i := range all.Parts {
		all.Parts[i].write(b)
	}
	verdict := "no damage"
	if all.Damaged {
		verdict = "DAMAGED, see above: a monitor resumes each part from its undamaged checkpoint, if there is one"
	}
	fmt.Fprintf(b, "\n%s: %s\n", amount.Of(len(all.Parts), "part"), verdict)
	return b.Flush()
}

func (p *checkpointPart) write(b io.Writer) {
	fmt.Fprintf(b, "\n%s\n", report.Clean(p.Part))
	row := func(name, format string, args ...any) {
		fmt.Fprintf(b, "  %-12s %s\n", name, report.Clean(fmt.Sprintf(format, args...)))
	}
	for _, c := range p.Checkpoints {
		if c.Damage != "" {
			row("checkpoint", "DAMAGED: %s", c.Damage)
			continue
		}
		row("checkpoint", "number %d of %s, %s of %s, in %s", c.Number, c.Saved.Format(time.RFC3339),
			amount.Of(c.Streams, "record"), amount.Of(int(c.Bytes), "byte"), c.File)
	}
	last := p.Last
	if last == nil {
		return
	}
	row("position", "%s", last.Position)
	if last.Cluster != "" {
		row("cluster", "%s", last.Cluster)
	}
	if last.Topic != "" {
		row("topic id", "%s", last.Topic)
	}
	settings := slices.DeleteFunc(strings.Split(last.Settings, ";"), func(s string) bool { return len(strings.Fields(s)) < 2 }) // defaults
	row("settings", "%s", strings.Join(settings, ";"))
	if last.Missed != "" {
		row("missed", "%s", last.Missed)
	}
	row("judged", "%s, %s, %s, %s", amount.Of(int(last.Events), "event"), amount.Of(int(last.Steps), "step"),
		amount.Of(int(last.Violations), "violation"), amount.Of(int(last.Bad), "bad input"))
	for _, c := range last.ByRule {
		row("violated", "%s %s: %s", c.Spec, c.Rule, amount.Of(int(c.Count), "time"))
	}
	row("streams", "%s, with states of %s", amount.Grouped(last.Streams), amount.Of(int(last.StateBytes), "byte"))
	for _, name := range slices.Sorted(maps.Keys(last.Sizes)) {
		row("stream", "%s: %s", name, amount.Of(last.Sizes[name], "byte"))
	}
	for i := range last.Pending {
		a := &last.Pending[i]
		to := "all receivers"
		if len(a.For) > 0 {
			to = strings.Join(a.For, ", ")
		}
		row("pending", "%s %s of %s, for %s: %s", a.Kind, a.ID, a.Stream, to, a.Message)
	}
	for _, k := range last.Acked {
		row("acknowledged", "by %s: %s (%s)", k.By, k.Why, k.Violation)
	}
}
