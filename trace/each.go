package trace

import "github.com/tidwall/gjson"

// Each yields the members of an object, or the elements of an array with the
// key "", in order. Other values have none. What it yields is valid while the
// line is.
func (v Value) Each(yield func(key string, value Value) bool) {
	if !v.begins('{') && !v.begins('[') {
		return
	}
	n := 0
	end := plainEnd(v.Str, 0, plainDepth, func(key string, value Value) bool {
		n++
		return yield(key, value)
	})
	if end >= 0 {
		return
	}
	gjson.Parse(v.Str).ForEach(func(key, value gjson.Result) bool {
		n--
		return n >= 0 || yield(key.Str, valueOf(&value))
	})
}

// Rows yields the members of the objects in an array, with the index of the
// object. For an element without members it yields the index alone. What it
// yields is valid while the line is.
func (v Value) Rows(yield func(row int, key string, value Value)) {
	if !v.begins('[') {
		return
	}
	n, row, has := 0, 0, false
	member := func(key string, value Value) bool {
		n, has = n+1, true
		yield(row, key, value)
		return true
	}
	line := v.Str
	for i := space(line, 1); i < len(line) && line[i] != ']'; row++ {
		has = false
		if line[i] == '{' {
			i = plainEnd(line, i, plainDepth, member)
		} else if _, end, ok := plainValue(line, i, plainDepth); ok {
			i = end
		} else {
			i = -1
		}
		if i < 0 {
			v.otherRows(n, yield)
			return
		}
		if !has {
			member("", Value{})
		}
		if i = space(line, i); i < len(line) && line[i] == ',' {
			i = space(line, i+1)
		}
	}
}

// otherRows does the same with gjson, after the first n.
func (v Value) otherRows(n int, yield func(int, string, Value)) {
	row, has := 0, false
	member := func(key string, value Value) {
		if has, n = true, n-1; n < 0 {
			yield(row, key, value)
		}
	}
	gjson.Parse(v.Str).ForEach(func(_, element gjson.Result) bool {
		if has = false; element.IsObject() {
			element.ForEach(func(key, value gjson.Result) bool {
				member(key.Str, valueOf(&value))
				return true
			})
		}
		if !has {
			member("", Value{})
		}
		row++
		return true
	})
}

// begins reports whether the value is an array, for '[', or an object, for '{'.
func (v Value) begins(with byte) bool {
	return v.Type == Other && v.Str != "" && v.Str[0] == with
}
