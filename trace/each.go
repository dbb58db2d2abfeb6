package trace

import (
	"unsafe"

	"github.com/tidwall/gjson"
)

// Each yields the members of an object, or the elements of an array with "" as
// their key, in order. Of any other value there are none. What it yields lives
// as long as the line does.
func (v Value) Each(yield func(key string, value Value) bool) {
	if v.Type != Other || len(v.Str) == 0 || v.Str[0] != '{' && v.Str[0] != '[' {
		return
	}
	line := unsafe.Slice(unsafe.StringData(v.Str), len(v.Str))
	object, key, ok := v.Str[0] == '{', "", true
	i := space(line, 1)
	for n := 0; i < len(line) && line[i] != line[0]+2; n++ { // its end, in ASCII
		if object {
			key, i, ok = plainKey(line, i, v.Str)
		}
		var value Value
		if ok {
			value, i, ok = plainValue(line, i, v.Str, plainDepth)
		}
		if !ok {
			v.rest(n, yield)
			return
		}
		if !yield(key, value) {
			return
		}
		if i = space(line, i); i == len(line) || line[i] != ',' {
			return
		}
		i = space(line, i+1)
	}
}

// rest yields what follows the first n, as gjson reads it.
func (v Value) rest(n int, yield func(string, Value) bool) {
	gjson.Parse(v.Str).ForEach(func(key, value gjson.Result) bool {
		if n > 0 {
			n--
			return true
		}
		return yield(key.Str, valueOf(&value))
	})
}
