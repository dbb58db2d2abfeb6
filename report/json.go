package report

import (
	"encoding/json"
	"io"

	"tracecheck/validators"
)

// JSON writes the result as one object on one line. "<<" is not escaped, so
// TLA+ stays readable. Control characters are escaped.
func JSON(w io.Writer, r *validators.Result) error {
	return encode(w, r)
}

func encode(w io.Writer, v any) error {
	enc := json.NewEncoder(Visible(w))
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
