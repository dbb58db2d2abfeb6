package model

import (
	"encoding/json"
	"fmt"
	"math/bits"

	"tracecheck/trace"
	"tracecheck/trace/codec"
	"tracecheck/validators"
)

// Schema has the columns of a kind of object. With them it reads a value R from lines, shows it, and
// saves it. Each Kind has a Schema. A spec with its own storage of objects can use a Schema alone.
type Schema[S any, R comparable] struct {
	Kind   trace.Kind
	All    Columns
	Whole  Columns // that a create or a snapshot must give
	Hidden Columns // that the first sight of an object, under --attach, may leave unknown

	columns []Column[S, R]
	places  []uint8 // of the fields: the column's place, from 1
	left    Columns // that have Left
}

// Marks has the columns of an object with a value outside the type (Bad). A later line with a value
// of the type ends the mark. Under --attach, Unseen has the columns that no line has given yet.
type Marks struct{ Bad, Unseen Columns }

// NewSchema returns the schema of the columns. It panics if there are more than 15.
func NewSchema[S any, R comparable](kind trace.Kind, columns ...Column[S, R]) *Schema[S, R] {
	if len(columns) > maxColumns {
		panic(fmt.Sprintf("model: kind %s has more than %d columns", kind, maxColumns))
	}
	of := &Schema[S, R]{Kind: kind, All: 1<<len(columns) - 1, columns: columns}
	for i := range columns {
		col, bit := &columns[i], Columns(1)<<i
		for len(of.places) <= int(col.Field) {
			of.places = append(of.places, 0)
		}
		of.places[col.Field] = uint8(i + 1)
		if col.Left != nil {
			of.left |= bit
		}
		if col.Needed {
			of.Whole |= bit
		}
		if col.Left == nil && !col.Inferred && !col.Default {
			of.Hidden |= bit
		}
	}
	return of
}

// column returns the column of the field, nil where there is none.
func (of *Schema[S, R]) column(field trace.FieldName) (col *Column[S, R], bit Columns) {
	if int(field) >= len(of.places) || of.places[field] == 0 {
		return nil, 0
	}
	i := of.places[field] - 1
	return &of.columns[i], 1 << i
}

// Shows reports whether the line gives a column, or creates the object.
func (of *Schema[S, R]) Shows(ev *trace.Event) bool {
	for i := range ev.Fields {
		if col, _ := of.column(ev.Fields[i].Name); col != nil {
			return true
		}
	}
	return ev.Op == trace.OpCreate
}

// Merge writes the fields of a line to the row. It adds their columns to given, and returns the
// columns with a Noted value.
func (of *Schema[S, R]) Merge(s *S, r *R, m *Marks, given *Columns, fields trace.Fields) (noted Columns) {
	left := of.left
	for i := range fields {
		f := &fields[i]
		col, bit := of.column(f.Name)
		if col == nil || f.Value.Type == trace.Absent {
			continue
		}
		switch col.Read(s, r, f.Value) {
		case LeftOut:
			if col.Inferred {
				*given, m.Bad = *given&^bit, m.Bad&^bit
			}
			continue
		case Good:
			m.Bad &^= bit
		case Outside:
			if m.Bad |= bit; !col.Holds {
				break
			}
			m.Bad &^= bit
			fallthrough
		case Noted:
			noted |= bit
		}
		*given, m.Unseen, left = *given|bit, m.Unseen&^bit, left&^bit
	}
	for ; left != 0; left &= left - 1 {
		of.columns[bits.TrailingZeros16(uint16(left))].Left(s, r, m.Unseen)
	}
	return noted
}

// Wrong calls add with a message for each field of the line in the bad columns. name is the name of
// the object.
func (of *Schema[S, R]) Wrong(s *S, name string, ev *trace.Event, bad Columns, add func(text string)) {
	whole, given := ev.Op == trace.OpCreate || ev.Op == trace.OpSnapshot, false
	for i := range of.columns {
		col := &of.columns[i]
		v := ev.Fields.Get(col.Field)
		if bad&(1<<i) == 0 || !whole && v.Type == trace.Absent {
			continue
		}
		given = true
		if col.Wrong != nil {
			add(name + ": " + col.Wrong(s, v))
		} else {
			add(fmt.Sprintf("%s: %s %s is not in %s", name, col.Field, v, col.Type))
		}
	}
	if !given {
		add(name + ": a value is outside its type")
	}
}

// FirstWrong returns the first message of Wrong, or "" if no column is bad.
func (of *Schema[S, R]) FirstWrong(s *S, ev *trace.Event, bad Columns) (first string) {
	of.Wrong(s, of.Kind.String()+" "+ev.ID, ev, bad, func(text string) {
		if first == "" {
			first = text
		}
	})
	return first
}

// JSON returns the object as a snapshot line has it, in the order of the columns.
func (of *Schema[S, R]) JSON(s *S, r *R) json.RawMessage {
	text := []byte{'{'}
	for i := range of.columns {
		col := &of.columns[i]
		value, given := col.Show(s, r)
		if !given {
			continue
		}
		if len(text) > 1 {
			text = append(text, ',')
		}
		for n, v := range [...]any{col.Field.String(), value} {
			b, err := json.Marshal(v)
			if err != nil {
				panic("model: a value does not encode: " + err.Error())
			}
			text = append(text, b...)
			if n == 0 {
				text = append(text, ':')
			}
		}
	}
	return append(text, '}')
}

// Code writes or reads the object and its marks.
func (of *Schema[S, R]) Code(s *S, c *codec.Codec, r *R, m *Marks) {
	codec.Uint(c, &m.Bad)
	codec.Uint(c, &m.Unseen)
	if (m.Bad|m.Unseen)&^of.All != 0 {
		c.Fail("there are no columns %b", m.Bad|m.Unseen)
	}
	for i := range of.columns {
		of.columns[i].Code(s, c, r)
	}
}

// Describe returns the documentation of the columns.
func (of *Schema[S, R]) Describe() (list []validators.ColumnDoc) {
	for i := range of.columns {
		col := &of.columns[i]
		doc := validators.ColumnDoc{Kind: of.Kind, Field: col.Field.String(), Type: col.Type}
		if len(col.names) > 0 {
			doc.Values = col.names[1:]
		}
		list = append(list, doc)
	}
	return list
}
