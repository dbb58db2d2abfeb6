package flagvalue

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tracecheck/internal/files"
	"tracecheck/internal/nearest"
)

// Outputs are the formats of a result: one on stdout, and any number in files,
// as FORMAT=FILE.
type Outputs struct {
	Stdout  string
	Files   []outputFile
	Allowed []string
}

type outputFile struct{ format, file string }

func (o *Outputs) String() string { return o.Stdout }

// Set takes FORMAT, FORMAT=FILE, or - for standard output. Of several formats for stdout the last wins.
func (o *Outputs) Set(s string) error {
	format, file, toFile := strings.Cut(s, "=")
	switch {
	case s == dash:
		return nil
	case !slices.Contains(o.Allowed, format):
		last, example := len(o.Allowed)-1, o.Allowed[0]+"=FILE"
		if of := formatOf(s); !toFile && slices.Contains(o.Allowed, of) {
			example = of + "=" + s
		}
		return fmt.Errorf("expected %s or %s, or one of them with a file, such as %s%s", strings.Join(o.Allowed[:last], ", "), o.Allowed[last], example, nearest.Hint(format, o.Allowed))
	case !toFile || file == dash:
		o.Stdout = format
		return nil
	case file == "":
		return errors.New("expected a file after " + format + "=")
	case slices.ContainsFunc(o.Files, func(f outputFile) bool { return filepath.Clean(f.file) == filepath.Clean(file) && file != os.DevNull }):
		return fmt.Errorf("two results for one file: %s", file)
	}
	o.Files = append(o.Files, outputFile{format, file})
	return nil
}

func (o *Outputs) Candidates() []string { return o.Allowed }

// Has reports whether an output has the format.
func (o *Outputs) Has(format string) bool {
	return o.Stdout == format || slices.ContainsFunc(o.Files, func(f outputFile) bool { return f.format == format })
}

// formatOf returns the format that a file of this name has, "" if it is not known.
func formatOf(name string) string {
	switch ext := filepath.Ext(name); ext {
	case ".txt":
		return "text"
	case ".xml":
		return "junit"
	default:
		return strings.TrimPrefix(ext, ".")
	}
}

// Check is called before the work: no output may replace an input, or lack its folder.
func (o *Outputs) Check(inputs []string) error {
	for _, out := range o.Files {
		if _, err := os.Stat(filepath.Dir(out.file)); err != nil {
			return fmt.Errorf("cannot write the result: %s: %w", out.file, files.Advise(err))
		}
		there, err := os.Stat(out.file)
		if err != nil || !there.Mode().IsRegular() {
			continue
		}
		for _, name := range inputs {
			if in, err := os.Stat(name); err == nil && os.SameFile(in, there) {
				return fmt.Errorf("the result would replace the input %s: name another file", out.file)
			}
		}
	}
	return nil
}

// Write writes all outputs, the files first: they exist when stdout is read. After an error it
// writes the others.
func (o *Outputs) Write(stdout io.Writer, do func(w io.Writer, format string, file bool) error) error {
	var failed error
	for _, out := range o.Files {
		failed = cmp.Or(failed, files.ReplaceBy(out.file, func(w io.Writer) error { return do(w, out.format, true) }))
	}
	return cmp.Or(failed, do(stdout, o.Stdout, false))
}
