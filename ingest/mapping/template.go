package mapping

import (
	"strings"

	"go.yaml.in/yaml/v4"
)

// template reads text with paths in braces; {{ and }} are braces.
func (p *parser) template(n *yaml.Node, text string) []part {
	var parts []part
	var literal strings.Builder
	for rest := text; ; {
		i := strings.IndexAny(rest, "{}")
		if i < 0 {
			literal.WriteString(rest)
			if literal.Len() > 0 || len(parts) == 0 {
				parts = append(parts, part{literal.String(), -1})
			}
			return parts
		}
		literal.WriteString(rest[:i])
		brace := rest[i]
		if rest = rest[i+1:]; strings.HasPrefix(rest, string(brace)) {
			literal.WriteByte(brace)
			rest = rest[1:]
			continue
		}
		path, after, closed := strings.Cut(rest, "}")
		if brace == '}' || !closed || strings.Contains(path, "{") {
			p.Fault(n, "an unmatched brace in %q: a path is {a.b}, a brace is {{ or }}, and write a path that has braces as path: …", text)
			return nil
		}
		parts = append(parts, part{literal.String(), p.path(n, path)})
		literal.Reset()
		rest = after
	}
}

// alone returns the path of a template that is only one path, else -1.
func alone(parts []part) int {
	if len(parts) == 1 && parts[0].literal == "" {
		return parts[0].path
	}
	return -1
}

// constantText returns the text of a template without paths.
func constantText(parts []part) (string, bool) {
	if len(parts) == 1 && parts[0].path < 0 {
		return parts[0].literal, true
	}
	return "", len(parts) == 0
}
