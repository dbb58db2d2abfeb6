package report

import (
	"encoding/json"
	"io"

	"tracecheck/validators"
)

// JSON writes the result, like Encode.
func JSON(w io.Writer, r *validators.Result) error { return Encode(w, r) }

// Encode writes a value as JSON on one line. "<<" is not escaped, so TLA+ stays readable.
// Control characters are escaped.
func Encode(w io.Writer, v any) error {
	enc := json.NewEncoder(Visible(w))
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
