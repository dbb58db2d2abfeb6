package wire

import (
	"errors"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
)

// field is a field of a message as it is encoded.
type field struct {
	of     protowire.Type
	number uint64 // of protowire.VarintType
	bytes  []byte // of protowire.BytesType
}

var errType = errors.New("a field has the type of another one")

// Decode reads an encoded message into a pointer to one of this package's structs. It
// ignores the fields that this does not have.
func Decode(b []byte, into any) error { return decode(b, reflect.ValueOf(into).Elem()) }

func decode(b []byte, into reflect.Value) error {
	l := layouts()[into.Type()]
	return each(b, func(n protowire.Number, f field) error {
		if int(n) >= len(l) {
			return nil
		}
		m := &l[n]
		for _, other := range m.union {
			into.Field(other).SetZero()
		}
		if m.at < 0 {
			return nil
		}
		return set(into.Field(m.at), f)
	})
}

// each calls do with the fields of a message.
func each(b []byte, do func(protowire.Number, field) error) error {
	for len(b) > 0 {
		number, of, n := protowire.ConsumeTag(b)
		if n < 0 {
			return protowire.ParseError(n)
		}
		b = b[n:]
		f := field{of: of}
		switch of {
		case protowire.VarintType:
			f.number, n = protowire.ConsumeVarint(b)
		case protowire.BytesType:
			f.bytes, n = protowire.ConsumeBytes(b)
		default:
			n = protowire.ConsumeFieldValue(number, of, b)
		}
		if n < 0 {
			return protowire.ParseError(n)
		}
		b = b[n:]
		if err := do(number, f); err != nil {
			return err
		}
	}
	return nil
}

// set gives a struct's field the value.
func set(to reflect.Value, f field) error {
	want := protowire.BytesType
	switch to.Kind() {
	case reflect.Uint32, reflect.Uint64, reflect.Int32, reflect.Int64, reflect.Bool:
		want = protowire.VarintType
	}
	if f.of != want {
		return errType
	}
	switch to.Kind() {
	case reflect.Uint32, reflect.Uint64:
		to.SetUint(f.number)
	case reflect.Int32, reflect.Int64:
		to.SetInt(int64(f.number))
	case reflect.Bool:
		to.SetBool(f.number != 0)
	case reflect.String:
		to.SetString(string(f.bytes))
	case reflect.Pointer:
		if to.IsNil() {
			to.Set(reflect.New(to.Type().Elem()))
		}
		return decode(f.bytes, to.Elem())
	case reflect.Slice:
		to.Set(reflect.Append(to, reflect.Zero(to.Type().Elem())))
		return set(to.Index(to.Len()-1), f)
	case reflect.Map:
		var e entry
		if err := Decode(f.bytes, &e); err != nil {
			return err
		}
		if to.IsNil() {
			to.Set(reflect.MakeMap(to.Type()))
		}
		to.SetMapIndex(reflect.ValueOf(e.Key), reflect.ValueOf(e.Value))
	case reflect.Interface:
		return setObject(to.Addr().Interface().(*Object), f)
	default:
		return decode(f.bytes, to)
	}
	return nil
}

// setObject reads the union of an event: its last member counts.
func setObject(to *Object, f field) error {
	return each(f.bytes, func(n protowire.Number, f field) error {
		if n > lastKind {
			return nil
		}
		if *to = objectOf(n); *to == nil {
			return nil
		}
		if f.of != protowire.BytesType {
			return errType
		}
		return Decode(f.bytes, *to)
	})
}

// entry is one entry of a map of texts.
type entry struct {
	Key   string `wire:"1"`
	Value string `wire:"2"`
}

// layout maps the field numbers of a message to the variables that they are read into.
type layout []member

// member is a field of a struct.
type member struct {
	at    int   // -1: the field is not read
	union []int // the fields that it takes the place of
}

// layouts are those of the structs that are read, by type. Only commands that read a swarm make
// them.
var layouts = sync.OnceValue(func() map[reflect.Type]layout {
	all := map[reflect.Type]layout{}
	for _, read := range []any{Message{}, Node{}, Service{}, Task{}, Cluster{}, entry{},
		List[Node]{}, List[Service]{}, List[Task]{}, List[Cluster]{}} {
		addLayout(all, reflect.TypeOf(read))
	}
	return all
})

// addLayout adds the layout of a struct, and those of the structs in it.
func addLayout(all map[reflect.Type]layout, t reflect.Type) {
	if kind := t.Kind(); kind == reflect.Pointer || kind == reflect.Slice {
		addLayout(all, t.Elem())
		return
	} else if _, known := all[t]; known || kind != reflect.Struct {
		return
	}
	var l layout
	at := func(number string) *member {
		n, err := strconv.Atoi(number)
		if err != nil {
			panic(err) // a tag of this package
		}
		for len(l) <= n {
			l = append(l, member{at: -1})
		}
		return &l[n]
	}
	for i := range t.NumField() {
		f := t.Field(i)
		at(f.Tag.Get("wire")).at = i
		if union := f.Tag.Get("union"); union != "" {
			for number := range strings.SplitSeq(union, ",") {
				m := at(number)
				m.union = append(m.union, i)
			}
		}
		addLayout(all, f.Type)
	}
	all[t] = l
}
