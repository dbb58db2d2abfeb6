package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/tidwall/gjson"

	"tracecheck/trace"
)

// readDocument reads the whole of a document. Its states are in order.
func readDocument(r io.Reader) (*document, error) {
	var whole json.RawMessage
	d := json.NewDecoder(r) // which bounds how deeply values nest
	if err := d.Decode(&whole); err != nil {
		return nil, fmt.Errorf("the input is not an ITF document: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("there is more input after the ITF document")
	}
	if at := trace.InvalidUTF8(whole); at >= 0 {
		line, start := bytes.Count(whole[:at], []byte{'\n'})+1, bytes.LastIndexByte(whole[:at], '\n')+1
		return nil, fmt.Errorf("the ITF document is not valid UTF-8: line %d, byte %d is %#x", line, at-start+1, whole[at])
	}
	doc := &document{}
	var states gjson.Result
	err := members(gjson.ParseBytes(whole), func(name string, v gjson.Result) error {
		switch name {
		case "#meta":
			return decodeMeta(v, &doc.meta)
		case "states":
			states = v
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("the ITF document: %w", err)
	}
	if !states.IsArray() {
		return nil, fmt.Errorf(`the ITF document has no "states"`)
	}
	states.ForEach(func(_, v gjson.Result) bool {
		s := stateRead{vars: map[string]value{}}
		err = members(v, func(name string, v gjson.Result) (err error) {
			if name == "#meta" {
				return decodeMeta(v, &s.meta)
			}
			s.vars[name], err = decode(v)
			return within(name, err)
		})
		doc.states = append(doc.states, s)
		return err == nil
	})
	if err != nil {
		return nil, fmt.Errorf("state %d: %w", len(doc.states), err)
	}
	return doc, nil
}

// members yields an object's, in order; of another value there are none. A name
// that is there twice is an error, and so is one that is not text.
func members(object gjson.Result, yield func(name string, v gjson.Result) error) (err error) {
	if !object.IsObject() {
		return nil
	}
	seen := map[string]bool{}
	object.ForEach(func(key, v gjson.Result) bool {
		if err = isText(key); err == nil && seen[key.Str] {
			err = fmt.Errorf("%s occurs twice", quoted(key.Str))
		}
		if seen[key.Str] = true; err == nil {
			err = yield(key.Str, v)
		}
		return err == nil
	})
	return err
}

// isText refuses what has half of a surrogate pair: names that differ in nothing
// else would be one.
func isText(v gjson.Result) error {
	if trace.HalfPair(v.Raw) < 0 {
		return nil
	}
	return fmt.Errorf("%s is not text: it has half of a surrogate pair", v.Raw)
}

// within adds the place in the document to the error.
func within(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name, err)
}

// decodeMeta reads #meta, unless another tool wrote it.
func decodeMeta[T documentMeta | stateMeta](v gjson.Result, meta *T) error {
	var read T
	if json.Unmarshal([]byte(v.Raw), &read) == nil {
		*meta = read
	}
	return within("#meta", isText(v))
}

// decode reads one value.
func decode(v gjson.Result) (value, error) {
	switch {
	case v.IsArray():
		items, err := decodeAll(v)
		return sequence(items...), err
	case v.IsObject():
		return decodeObject(v)
	case v.Type == gjson.String:
		return str(v.Str), isText(v)
	case v.IsBool():
		return value{kind: aBoolean, text: v.Raw}, nil
	case v.Type == gjson.Null:
		return value{}, fmt.Errorf("null is not a value of TLA+")
	}
	return number(v.Raw)
}

// number is an integer: TLA+ has others, but no variable of the specs.
func number(text string) (value, error) {
	digits, negative := strings.CutPrefix(text, "-")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return value{}, fmt.Errorf("%s is not an integer", text)
	}
	if digits = strings.TrimLeft(digits, "0"); digits == "" {
		digits, negative = "0", false
	}
	if negative {
		digits = "-" + digits
	}
	return value{kind: anInteger, text: digits}, nil
}

func decodeAll(list gjson.Result) (items []value, err error) {
	if !list.IsArray() {
		return nil, fmt.Errorf("%s is not an array", list.Raw)
	}
	list.ForEach(func(_, v gjson.Result) bool {
		var item value
		item, err = decode(v)
		items = append(items, item)
		return err == nil
	})
	return items, err
}

func decodeObject(object gjson.Result) (value, error) {
	record := value{kind: aRecord}
	whole := &record
	is := func(v value, err error) error {
		whole = &v
		return err
	}
	err := members(object, func(name string, m gjson.Result) error {
		switch name {
		case "#bigint":
			return is(number(strings.Trim(m.Raw, `"`)))
		case "#set":
			return is(decodeSet(m))
		case "#tup":
			items, err := decodeAll(m)
			return is(sequence(items...), err)
		case "#map":
			return is(decodeMap(m))
		case "#unserializable":
			return fmt.Errorf("a value that ITF cannot express: %s", m.Raw)
		}
		item, err := decode(m)
		record.names, record.items = append(record.names, name), append(record.items, item)
		return within(name, err)
	})
	return *whole, err
}

// decodeSet has each element once.
func decodeSet(list gjson.Result) (value, error) {
	items, err := decodeAll(list)
	seen := map[string]bool{}
	v := set()
	for _, item := range items {
		if key := item.key(); !seen[key] {
			seen[key] = true
			v.items = append(v.items, item)
		}
	}
	return v, err
}

func decodeMap(list gjson.Result) (value, error) {
	f := function()
	pairs, err := decodeAll(list)
	seen := map[string]bool{}
	for _, p := range pairs {
		if err != nil {
			break
		}
		if p.kind != aSequence || len(p.items) != 2 {
			return f, fmt.Errorf("an entry of a #map is not a key and a value")
		}
		key := p.items[0].key()
		if seen[key] {
			return f, fmt.Errorf("the key %s occurs twice", key)
		}
		seen[key] = true
		f.put(p.items[0], p.items[1])
	}
	return f, err
}
