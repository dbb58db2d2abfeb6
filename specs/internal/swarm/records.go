package swarm

import (
	"tracecheck/trace/codec"
	"tracecheck/validators"
)

// CodeRecord writes a record down, or reads it, by its id. find returns the zero R for an
// id that is not known. Where the record is optional, "" is none.
func CodeRecord[R validators.Keyed](c *codec.Codec, r *R, find func(id string) R, code func(*string), what string, optional bool) {
	var none R
	id := ""
	if *r != none {
		id = (*r).Key()
	}
	if code(&id); !c.Reading() {
		return
	}
	if *r = find(id); *r == none && !(optional && id == "") {
		c.Fail("%s %q is not known", what, id)
	}
}
