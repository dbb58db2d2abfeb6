package bind

import (
	"fmt"
	"unicode/utf8"
	"unsafe"

	"github.com/tidwall/gjson"

	"tracecheck/ingest/foreign"
	"tracecheck/tlaplus/value"
	"tracecheck/trace"
)

// Decoder makes events of a log's lines: one of each, which has the line as it is. It
// serves one goroutine.
type Decoder struct {
	b     *Bind
	plain []string // the stream is this part of the line; nil: it has another expression
	p     *program // for that one
}

// Decoder returns a new one.
func (b *Bind) Decoder() *Decoder {
	d := &Decoder{b: b}
	if s := b.file.stream; s != nil {
		if p, ok := path(s.syn); ok {
			for _, step := range p {
				if step.index > 0 {
					d.plain = append(d.plain, fmt.Sprint(step.index-1))
				} else {
					d.plain = append(d.plain, step.field)
				}
			}
		}
	}
	return d
}

// Reset implements ingest.LineDecoder: the events borrow nothing.
func (d *Decoder) Reset() {}

// Decode implements ingest.LineDecoder.
func (d *Decoder) Decode(events []trace.Event, line []byte, pos trace.Pos) ([]trace.Event, error) {
	if bad := trace.CheckJSON(line); bad != "" {
		if len(line) > 0 && utf8.Valid(line) && line[0] != '{' && line[0] != '[' {
			bad += ". " + foreign.Capture(pos.File)
		}
		return events, &trace.Error{Pos: pos, Reason: bad}
	}
	ev := trace.Event{Pos: pos, Kind: trace.KindLine, Op: trace.OpUpdate, Raw: unsafe.String(unsafe.SliceData(line), len(line))}
	if d.b.file.stream != nil {
		var name, reason string
		if bad := guarded(func() { name, reason = d.stream(ev.Raw) }); bad != nil {
			reason = bad.Error()
		}
		if reason != "" {
			return events, &trace.Error{Pos: pos, Reason: d.b.file.name + ": stream: " + reason}
		}
		ev.Stream = name
	}
	return append(events, ev), nil
}

// Streams implements ingest.LineStreams: where the bind file has no stream, all lines
// are of one.
func (d *Decoder) Streams([]byte) (streams []string, known bool) {
	return []string{""}, d.b.file.stream == nil
}

// stream is the name of the line's stream; "" where the line has none.
func (d *Decoder) stream(raw string) (name, reason string) {
	if len(d.plain) > 0 {
		at := gjson.Parse(raw)
		for _, key := range d.plain {
			at = member(at, key)
		}
		if at.Type == gjson.JSON {
			return "", fmt.Sprintf("%s is not a name", at.Raw)
		}
		return at.String(), ""
	}
	if d.p == nil {
		p, err := d.b.load(d.b.header, true)
		if err != nil {
			return "", err.Error()
		}
		d.p = p
	}
	e, bad := d.b.lineOrHeader(d.p, raw)
	if bad != "" {
		return "", bad
	}
	if !d.p.stream.guarded && !hasAll(e, d.p.stream.paths) {
		return "", ""
	}
	d.p.run.Work = 0
	v, err := d.p.run.Value(d.p.stream.f, nil, e)
	if err != nil {
		return "", err.Error()
	}
	if s, ok := v.(*value.Str); ok {
		return s.Text, ""
	}
	return value.Show(v), ""
}

// lineOrHeader is the value of a line. Before the streams are known, a header is a line, too,
// with the sets and functions of the header.
func (b *Bind) lineOrHeader(p *program, raw string) (value.Value, string) {
	e, bad := p.json.text(raw, b.shapes.field(lineName))
	if bad != "" && b.file.headerLine {
		return p.json.text(raw, b.shapes.field(headerName))
	}
	return e, bad
}

// member is a field of an object, or an element of an array. A key may have any
// characters.
func member(of gjson.Result, key string) (found gjson.Result) {
	i := 0
	isArray := of.IsArray()
	if of.Type != gjson.JSON {
		return gjson.Result{}
	}
	of.ForEach(func(k, v gjson.Result) bool {
		if isArray && fmt.Sprint(i) == key || !isArray && k.Str == key {
			found = v
		}
		i++
		return true
	})
	return found
}
