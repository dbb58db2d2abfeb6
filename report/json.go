package report

import (
	"encoding/json"
	"io"

	"tracecheck/validators"
)

// JSON writes the result as one object on one line. TLA+ text stays readable:
// "<<" is not escaped; what a terminal would obey is.
func JSON(w io.Writer, r *validators.Result) error {
	return encode(w, r)
}

func encode(w io.Writer, v any) error {
	enc := json.NewEncoder(Visible(w))
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
