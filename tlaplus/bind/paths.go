package bind

import (
	"strconv"

	"tracecheck/tlaplus/syntax"
	"tracecheck/tlaplus/value"
)

// Which parts of the line an expression reads: what is absent in the line is not known,
// and says nothing.

// pathsOf are the paths from the line. Guarded: the expression asks for itself whether
// a part is there.
func pathsOf(n syntax.Expr) (paths [][]step, guarded bool) {
	var walk func(n syntax.Node)
	walk = func(n syntax.Node) {
		if x, ok := n.(syntax.Expr); ok {
			if p, ok := path(x); ok {
				if len(p) > 0 {
					paths = append(paths, p)
				}
				return
			}
		}
		if op, ok := n.(*syntax.Op); ok && op.Name.Name == "DOMAIN" {
			if _, ok := path(op.Args[0]); ok {
				guarded = true
			}
		}
		syntax.Children(n, walk)
	}
	walk(n)
	return paths, guarded
}

// path is that from the line to what the expression is; ok is false where it is none.
func path(n syntax.Expr) (p []step, ok bool) {
	switch n := n.(type) {
	case *syntax.Paren:
		return path(n.Expr)
	case *syntax.Op:
		return nil, n.Name.Name == lineName && len(n.Args) == 0 && len(n.Prefix) == 0
	case *syntax.Dot:
		p, ok = path(n.Rec)
		return append(p, step{field: n.Field.Name}), ok
	case *syntax.FcnApply:
		if p, ok = path(n.Fcn); !ok || len(n.Args) != 1 {
			return nil, false
		}
		switch arg := n.Args[0].(type) {
		case *syntax.String:
			return append(p, step{field: arg.Value}), true
		case *syntax.Number:
			if i, err := strconv.Atoi(arg.Text); err == nil && i > 0 {
				return append(p, step{index: i}), true
			}
		}
	}
	return nil, false
}

// has reports whether the line has the part.
func has(line value.Value, path []step) bool {
	for _, s := range path {
		if line = reached(line, s); line == nil {
			return false
		}
	}
	return true
}

// reached is the part that a step leads to, nil where there is none.
func reached(v value.Value, s step) value.Value {
	switch v := v.(type) {
	case *value.Tuple:
		if s.index > 0 && s.index <= len(v.Elems) {
			return v.Elems[s.index-1]
		}
	case *value.Fcn:
		for i, at := range v.Dom.Each() {
			switch at := at.(type) {
			case *value.Str:
				if s.index == 0 && at.Text == s.field {
					return v.Val(i)
				}
			case value.Int:
				if s.index > 0 && int(at) == s.index {
					return v.Val(i)
				}
			}
		}
	}
	return nil
}

// hasAll reports whether the line has a value at each path.
func hasAll(line value.Value, paths [][]step) bool {
	for _, path := range paths {
		if !has(line, path) {
			return false
		}
	}
	return true
}
