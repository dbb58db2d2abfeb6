package trace

// Error says why an input cannot be judged: it is the one source of the
// verdict "unusable". It is no violation and no I/O failure.
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
