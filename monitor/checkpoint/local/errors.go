package local

import "fmt"

// fault is an error that needs no context.
type fault string

func (f fault) Error() string { return string(f) }

// damaged is the error of a damaged file.
type damaged struct {
	path string
	err  error
}

func (d damaged) Error() string { return fmt.Sprintf("%s is damaged (%s)", d.path, d.err) }
func (d damaged) Unwrap() error { return d.err }

func (d damaged) Is(target error) bool { return target == ErrDamaged }

// wrongVersion is an error of a file of another version.
type wrongVersion struct{ path, version string }

func (w wrongVersion) Error() string {
	return fmt.Sprintf("the checkpoints in %s have version %q, and this tracecheck reads version %q: use the one that wrote them, or use --start-over, which keeps the file as %s%s",
		w.path, w.version, version, w.path, damagedSuffix)
}

// notOurs is the error of a file that is not a checkpoint file.
type notOurs struct{ path, what string }

func (n notOurs) Error() string {
	return n.path + " is not a checkpoint file, but " + n.what + ": name another"
}

// otherContent is what a file has that is not a checkpoint file.
type otherContent string

func (o otherContent) Error() string { return "it is " + string(o) }

// namesFile reports whether the error names its file.
func namesFile(err error) bool {
	switch err.(type) {
	case fault, damaged, wrongVersion, notOurs, lostBase:
		return true
	}
	return err == errNotShort
}
