package syntax

import "reflect"

// bare leaves parentheses and theorems out of a tree, which it changes.
func bare(m *Module) *Module {
	bareIn(reflect.ValueOf(m))
	return m
}

func bareIn(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			bareIn(v.Elem())
		}
	case reflect.Interface:
		for {
			p, ok := v.Interface().(*Paren)
			if !ok {
				break
			}
			v.Set(reflect.ValueOf(p.Expr))
		}
		if !v.IsNil() {
			bareIn(v.Elem())
		}
	case reflect.Slice:
		if units, ok := v.Interface().([]Unit); ok {
			var kept []Unit
			for _, u := range units {
				if _, ok := u.(*Theorem); !ok {
					kept = append(kept, u)
				}
			}
			v.Set(reflect.ValueOf(kept))
		}
		for i := range v.Len() {
			bareIn(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			bareIn(v.Field(i))
		}
	}
}
