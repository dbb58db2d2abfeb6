package bind

import "strings"

// shape has the parts of a JSON value that are sets or functions.
type shape struct {
	fields map[string]*shape
	each   *shape // of the elements of an array, or the values of an object
	set    bool
	fcn    bool
}

const wildcard = "[*]"

// steps takes a path apart: the name that it begins with, fields, and wildcards.
func steps(path string) (list []string, ok bool) {
	for i, part := range strings.Split(path, ".") {
		field, rest, _ := strings.Cut(part, "[")
		if field == "" || i == 0 && field != lineName && field != headerName && field != objectsName {
			return nil, false
		}
		list = append(list, field)
		for rest != "" {
			after, more := strings.CutPrefix(rest, "*]")
			if !more || after != "" && after[0] != '[' {
				return nil, false
			}
			list, rest = append(list, wildcard), strings.TrimPrefix(after, "[")
		}
	}
	return list, true
}

// shapes are those of the line, of the header, and of the fields of objects.
func (f *file) shapes() *shape {
	root := &shape{}
	put := func(path string, mark func(*shape)) {
		list, _ := steps(path)
		at := root
		for _, step := range list {
			at = at.make(step)
		}
		mark(at)
	}
	for _, path := range f.sets {
		put(path, func(s *shape) { s.set = true })
	}
	for _, path := range f.functions {
		put(path, func(s *shape) { s.fcn = true })
	}
	return root
}

func (s *shape) make(step string) *shape {
	if step == wildcard {
		if s.each == nil {
			s.each = &shape{}
		}
		return s.each
	}
	if s.fields == nil {
		s.fields = map[string]*shape{}
	}
	if s.fields[step] == nil {
		s.fields[step] = &shape{}
	}
	return s.fields[step]
}

func (s *shape) field(name string) *shape {
	switch {
	case s == nil:
		return nil
	case s.fields[name] != nil:
		return s.fields[name]
	}
	return s.each
}

func (s *shape) elements() *shape {
	if s == nil {
		return nil
	}
	return s.each
}
