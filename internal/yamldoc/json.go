package yamldoc

import (
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"
	"go.yaml.in/yaml/v4"
)

// JSON is a value as JSON.
func (r *Reader) JSON(n *yaml.Node) []byte {
	switch n = r.Visit(n); n.Kind {
	case yaml.ScalarNode:
		return r.ScalarJSON(n)
	case yaml.SequenceNode:
		out := []byte{'['}
		for i, item := range n.Content {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(out, r.JSON(item)...)
		}
		return append(out, ']')
	case yaml.MappingNode:
		out := []byte{'{'}
		for i, m := range r.Pairs(n, "a value", nil) {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(gjson.AppendJSONString(out, m.Name), ':')
			out = append(out, r.JSON(m.Value)...)
		}
		return append(out, '}')
	}
	r.Fault(n, "this is not a value")
	return []byte("null")
}

// ScalarJSON is a YAML scalar as JSON. Dates are text, as they are in JSON.
func (r *Reader) ScalarJSON(n *yaml.Node) []byte {
	switch n.ShortTag() {
	case "!!str", "!!timestamp":
		return gjson.AppendJSONString(nil, n.Value)
	case "!!null":
		return []byte("null")
	case "!!bool":
		if out := strings.ToLower(n.Value); out == "true" || out == "false" {
			return []byte(out)
		}
	case "!!int", "!!float":
		if json.Valid([]byte(n.Value)) {
			return []byte(n.Value) // with all its digits
		}
		var v any
		if n.Load(&v) == nil {
			if out, err := json.Marshal(v); err == nil {
				return out
			}
		}
	}
	r.Fault(n, "JSON has no value %s %s: write it in quotes, if it is text", n.ShortTag(), n.Value)
	return []byte("null")
}
