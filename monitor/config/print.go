package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"
	"go.yaml.in/yaml/v4"

	"tracecheck/internal/flagvalue"
	"tracecheck/report"
)

// mask is printed instead of a secret. A configuration with it is refused, since it is
// not the secret.
const mask = "MASKED"

// Print returns the resulting configuration as a file, with masked secrets. A comment has
// the origin of each value that was set.
func (m *Flags) Print() ([]byte, error) {
	root := &yaml.Node{Kind: yaml.MappingNode}
	for _, f := range m.List {
		name := f.Names()[0]
		from, given := m.origins[name]
		if slices.Contains(LineOnly, name) || !given && m.module.Unfit(name) {
			continue
		}
		n := FlagNode(f)
		if n == nil {
			continue
		}
		if err := checkText(n); err != nil {
			return nil, m.Fault(name, "%w", err)
		}
		if name == "webhook" {
			for _, item := range n.Content {
				*item = *textNode(masked(item.Value))
			}
		}
		if given {
			n.LineComment = "# " + from.String()
		}
		root.Content = append(root.Content, scalar("", name), n)
	}
	text, err := yaml.Dump(root, yaml.WithLineWidth(-1))
	lines := strings.Split(string(text), "\n")
	for i := range lines {
		lines[i] = report.Clean(lines[i])
	}
	return []byte(strings.Join(lines, "\n")), err
}

// FlagNode returns a flag's value, nil if it has none.
func FlagNode(f cli.Flag) *yaml.Node {
	switch f := f.(type) {
	case *cli.BoolFlag:
		if *f.Destination {
			return scalar("!!bool", "true")
		}
	case *cli.StringFlag:
		if *f.Destination != "" || f.Value != "" { // Value is the default
			return textNode(*f.Destination)
		}
	case *cli.GenericFlag:
		switch v := f.Value.(type) {
		case flagvalue.Constants:
			return mappingNode(v, jsonNode)
		case flagvalue.Labels:
			return mappingNode(v, textNode)
		case *flagvalue.Words:
			return listNode(v.Values)
		case *flagvalue.Repeated:
			return listNode(*v)
		case *flagvalue.Number, *flagvalue.Size:
			if text := v.String(); text != "" {
				return scalar("!!int", text)
			}
		default:
			if text := v.String(); text != "" {
				return textNode(text)
			}
		}
	}
	return nil
}

func textNode(text string) *yaml.Node {
	n := scalar("!!str", text)
	if report.Clean(text) != text {
		n.Style = yaml.DoubleQuotedStyle // this style has escapes
	}
	return n
}

func scalar(tag, text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: text}
}

func listNode(list []string) *yaml.Node {
	if len(list) == 0 {
		return nil
	}
	n := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	for _, text := range list {
		n.Content = append(n.Content, textNode(text))
	}
	return n
}

func mappingNode(members map[string]string, value func(string) *yaml.Node) *yaml.Node {
	if len(members) == 0 {
		return nil
	}
	n := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		n.Content = append(n.Content, textNode(name), value(members[name]))
	}
	return n
}

// jsonNode converts valid JSON to YAML.
func jsonNode(raw string) *yaml.Node {
	var v any
	d := json.NewDecoder(bytes.NewReader([]byte(raw)))
	d.UseNumber() // keeps numbers exact
	_ = d.Decode(&v)
	return anyNode(v)
}

func anyNode(v any) *yaml.Node {
	switch v := v.(type) {
	case string:
		return textNode(v)
	case json.Number:
		return scalar("", v.String())
	case bool:
		return scalar("!!bool", fmt.Sprint(v))
	case []any:
		n := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
		for _, item := range v {
			n.Content = append(n.Content, anyNode(item))
		}
		return n
	case map[string]any:
		n := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			n.Content = append(n.Content, textNode(key), anyNode(v[key]))
		}
		return n
	}
	return scalar("!!null", "null")
}

// checkText returns an error for text that YAML cannot represent.
func checkText(n *yaml.Node) error {
	if !utf8.ValidString(n.Value) {
		return errors.New("this is not UTF-8: it cannot be written as YAML")
	}
	for _, kid := range n.Content {
		if err := checkText(kid); err != nil {
			return err
		}
	}
	return nil
}

// masked returns the URL with its possible secrets masked: the login, and the values of the
// query.
func masked(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return mask
	}
	if u.User != nil {
		u.User = url.User(mask)
	}
	if u.RawQuery != "" {
		query := u.Query()
		for key := range query {
			query[key] = []string{mask}
		}
		u.RawQuery = query.Encode()
	}
	return u.String()
}
