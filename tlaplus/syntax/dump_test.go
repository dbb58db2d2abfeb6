package syntax

import (
	"fmt"
	"reflect"
	"strings"
)

// dump prints a node of the tree without places: (Op name="+" args=[…]). Fields that
// are empty are left out.
func dump(n any) string {
	var b strings.Builder
	dumpValue(&b, reflect.ValueOf(n), 0)
	return b.String()
}

func dumpValue(b *strings.Builder, v reflect.Value, indent int) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		dumpValue(b, v.Elem(), indent)
	case reflect.Slice:
		for i := range v.Len() {
			b.WriteString("\n" + strings.Repeat("  ", indent))
			dumpValue(b, v.Index(i), indent)
		}
	case reflect.Struct:
		if id, ok := v.Interface().(Ident); ok {
			fmt.Fprintf(b, "%q", id.Name)
			return
		}
		b.WriteString("(" + v.Type().Name())
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if f.Name == "Span" || f.Name == "File" || v.Field(i).IsZero() {
				continue
			}
			if f.Name != "Expr" {
				b.WriteString(" " + strings.ToLower(f.Name) + ":")
			} else {
				b.WriteString(" ")
			}
			dumpValue(b, v.Field(i), indent+1)
		}
		b.WriteString(")")
	default:
		fmt.Fprintf(b, "%#v", v.Interface())
	}
}

// eachExpr calls f for every expression of a tree.
func eachExpr(n any, f func(Expr)) { eachIn(reflect.ValueOf(n), f) }

func eachIn(v reflect.Value, f func(Expr)) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return
		}
		if e, ok := v.Interface().(Expr); ok && v.Kind() == reflect.Pointer {
			f(e)
		}
		eachIn(v.Elem(), f)
	case reflect.Slice:
		for i := range v.Len() {
			eachIn(v.Index(i), f)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			eachIn(v.Field(i), f)
		}
	}
}
