package anonymize

import (
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// writer writes one line.
type writer struct {
	*Anonymizer
	out []byte
}

// rewrite writes a value in other words.
type rewrite func(w *writer, v gjson.Result)

func (w *writer) put(c byte)         { w.out = append(w.out, c) }
func (w *writer) raw(v gjson.Result) { w.out = append(w.out, v.Raw...) }
func (w *writer) text(s string)      { w.out = gjson.AppendJSONString(w.out, s) }

// object writes an object's fields, those alone that are known.
func (w *writer) object(v gjson.Result, known map[string]rewrite) {
	if !v.IsObject() {
		plain(w, v)
		return
	}
	w.put('{')
	first := true
	v.ForEach(func(key, value gjson.Result) bool {
		write := known[key.Str]
		if write == nil {
			return true
		}
		if !first {
			w.put(',')
		}
		first = false
		w.text(key.Str)
		w.put(':')
		write(w, value)
		return true
	})
	w.put('}')
}

func fields(known map[string]rewrite) rewrite {
	return func(w *writer, v gjson.Result) { w.object(v, known) }
}

// plain is for numbers and booleans; any other value names something.
func plain(w *writer, v gjson.Result) {
	switch {
	case v.Type == gjson.String:
		if name := w.name(word, v.Str); name != v.Str {
			w.text(name)
		} else {
			w.raw(v) // as it is escaped
		}
	case v.IsArray():
		each(plain)(w, v)
	case v.IsObject():
		mapOf(word, plain)(w, v)
	default:
		w.raw(v)
	}
}

// each rewrites the elements of an array.
func each(write rewrite) rewrite {
	return func(w *writer, v gjson.Result) {
		if !v.IsArray() {
			plain(w, v)
			return
		}
		w.put('[')
		first := true
		v.ForEach(func(_, entry gjson.Result) bool {
			if !first {
				w.put(',')
			}
			first = false
			write(w, entry)
			return true
		})
		w.put(']')
	}
}

// mapOf rewrites a map from names of a sort.
func mapOf(sort string, write rewrite) rewrite {
	return func(w *writer, v gjson.Result) {
		if !v.IsObject() {
			plain(w, v)
			return
		}
		w.put('{')
		first := true
		v.ForEach(func(key, value gjson.Result) bool {
			if !first {
				w.put(',')
			}
			first = false
			w.text(w.name(sort, key.Str))
			w.put(':')
			write(w, value)
			return true
		})
		w.put('}')
	}
}

// named is a name of that sort.
func named(sort string) rewrite {
	return func(w *writer, v gjson.Result) {
		if v.Type != gjson.String {
			plain(w, v)
			return
		}
		w.text(w.name(sort, v.Str))
	}
}

// withNames is a name of that sort, or one of a few words.
func withNames(sort string, words ...string) rewrite {
	known := map[string]bool{}
	for _, s := range words {
		known[s] = true
	}
	return func(w *writer, v gjson.Result) {
		if v.Type == gjson.String && known[v.Str] {
			w.text(v.Str)
			return
		}
		named(sort)(w, v)
	}
}

// oneOf is one of a few words.
func oneOf(words ...string) rewrite { return withNames(word, words...) }

func (w *writer) oneOf(v gjson.Result, known map[string]bool) {
	if v.Type == gjson.String && known[v.Str] {
		w.text(v.Str)
		return
	}
	plain(w, v)
}

// claimed is a spec's name.
func claimed(w *writer, v gjson.Result) { w.oneOf(v, w.words) }

// address is "protocol/port".
func address(w *writer, v gjson.Result) {
	cut := strings.LastIndexByte(v.Str, '/')
	if v.Type != gjson.String || cut < 0 {
		plain(w, v)
		return
	}
	number := v.Str[cut+1:]
	if _, err := strconv.Atoi(number); err != nil {
		number = w.name(word, number)
	}
	name := v.Str[:cut]
	switch name {
	case "tcp", "udp", "sctp":
	default:
		name = w.name(protocol, name)
	}
	w.text(name + "/" + number)
}

// constraint is a placement constraint: node.labels.zone==a.
func constraint(w *writer, v gjson.Result) {
	if v.Type != gjson.String {
		plain(w, v)
		return
	}
	key, op, value := v.Str, "", ""
	for _, sign := range []string{"==", "!="} {
		if before, after, ok := strings.Cut(v.Str, sign); ok {
			key, op, value = strings.TrimSpace(before), sign, strings.TrimSpace(after)
			break
		}
	}
	for _, of := range []string{"node.labels.", "engine.labels."} {
		if name, ok := strings.CutPrefix(key, of); ok && op != "" {
			w.text(of + w.name(label, name) + op + w.name(labelValue, value))
			return
		}
	}
	switch {
	case op == "":
		w.text(w.name(word, v.Str))
	case key == "node.id":
		w.text(key + op + w.name(node, value))
	case key == "node.role" && (value == "manager" || value == "worker"):
		w.text(key + op + value)
	case key == "node.hostname", key == "node.ip", key == "node.platform.os", key == "node.platform.arch", key == "node.role":
		w.text(key + op + w.name(labelValue, value))
	default:
		w.text(w.name(word, key) + op + w.name(labelValue, value))
	}
}
