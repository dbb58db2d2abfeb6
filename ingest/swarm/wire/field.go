package wire

import (
	"errors"

	"google.golang.org/protobuf/encoding/protowire"
)

// field is a field of a message as it is encoded.
type field struct {
	of     protowire.Type
	number uint64 // of protowire.VarintType
	bytes  []byte // of protowire.BytesType
}

var errType = errors.New("a field has the type of another one")

// message is what fields are read into. It ignores fields that it does not have.
type message interface {
	field(protowire.Number, field) error
}

// Decode reads an encoded message into one of this package's types.
func Decode(b []byte, into message) error {
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
		if err := into.field(number, f); err != nil {
			return err
		}
	}
	return nil
}

// number sets any integer or enumeration.
func number[N ~uint64 | ~int64 | ~uint32 | ~int32](f field, to *N) error {
	if f.of != protowire.VarintType {
		return errType
	}
	*to = N(f.number)
	return nil
}

func truth(f field, to *bool) error {
	var n uint64
	err := number(f, &n)
	*to = n != 0
	return err
}

func text(f field, to *string) error {
	if f.of != protowire.BytesType {
		return errType
	}
	*to = string(f.bytes)
	return nil
}

// inner reads a message into a part of another.
func inner(f field, to message) error {
	if f.of != protowire.BytesType {
		return errType
	}
	return Decode(f.bytes, to)
}

// optional makes the message unless there is one.
func optional[M any, P interface {
	*M
	message
}](f field, to **M) error {
	if *to == nil {
		*to = new(M)
	}
	return inner(f, P(*to))
}

func repeated[M any, P interface {
	*M
	message
}](f field, to *[]*M) error {
	one := new(M)
	*to = append(*to, one)
	return inner(f, P(one))
}

// entry is one entry of a map of texts.
type entry struct{ key, value string }

func (e *entry) field(n protowire.Number, f field) error {
	switch n {
	case 1:
		return text(f, &e.key)
	case 2:
		return text(f, &e.value)
	}
	return nil
}
