package trace

import "errors"

// Error is the reason why an input cannot be judged. It is the only cause of the verdict
// "unusable". It is neither a violation nor an I/O error.
type Error struct {
	Pos    Pos
	Stream string
	Reason string // what is wrong, and what to do about it
}

func (e *Error) Error() string {
	if p := e.Pos.String(); p != "" {
		return p + ": " + e.Reason
	}
	return e.Reason
}

// ErrStop ends a reading of events. It is not an error.
var ErrStop = errors.New("enough")
