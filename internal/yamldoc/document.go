package yamldoc

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v4"
)

// Document is the file's one document; nil if the file is empty. Its aliases have
// an end.
func Document(file string, data []byte) (*yaml.Node, error) {
	loader, err := yaml.NewLoader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	var doc, more yaml.Node
	switch err := loader.Load(&doc); {
	case err == io.EOF:
		return nil, nil
	case err != nil:
		return nil, syntax(file, data, err)
	}
	switch err := loader.Load(&more); {
	case err == nil:
		return nil, fmt.Errorf("%s:%d: a second document: the file may have one", file, more.Line)
	case err != io.EOF:
		return nil, syntax(file, data, err)
	}
	root := doc.Content[0]
	if n := holdsItself(root, map[*yaml.Node]bool{}); n != nil {
		return nil, fmt.Errorf("%s:%d: the anchor %s contains itself", file, n.Line, n.Value)
	}
	return root, nil
}

func syntax(file string, data []byte, err error) error {
	if bytes.HasPrefix(data, []byte(`{"`)) {
		return fmt.Errorf("%s: the file is JSON Lines, as logs and traces are: name the YAML file here", file)
	}
	var at *yaml.LoadError
	if !errors.As(err, &at) {
		return fmt.Errorf("%s: not YAML: %w", file, err)
	}
	if at.Mark.Line == 0 {
		return fmt.Errorf("%s: not YAML: %s", file, at.Message)
	}
	lines := bytes.Split(data, []byte("\n"))
	if at.Mark.Line <= len(lines) && bytes.HasPrefix(bytes.TrimLeft(lines[at.Mark.Line-1], " "), []byte("\t")) {
		return fmt.Errorf("%s:%d: not YAML: the line begins with a tab: indent it with blanks", file, at.Mark.Line)
	}
	if at.ContextMsg != "" {
		return fmt.Errorf("%s:%d: not YAML: %s (%s from line %d)", file, at.Mark.Line, at.Message, at.ContextMsg, at.ContextMark.Line)
	}
	return fmt.Errorf("%s:%d: not YAML: %s", file, at.Mark.Line, at.Message)
}

// holdsItself finds an alias within its own anchor: that would never end.
// done has the nodes that are known to be right, and as false those around n.
func holdsItself(n *yaml.Node, done map[*yaml.Node]bool) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		if right, seen := done[n.Alias]; seen && !right {
			return n
		}
		n = n.Alias
	}
	if done[n] {
		return nil
	}
	done[n] = false
	for _, kid := range n.Content {
		if bad := holdsItself(kid, done); bad != nil {
			return bad
		}
	}
	done[n] = true
	return nil
}
