package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// outputs are the formats of a result: one on stdout, and any number in files,
// as FORMAT=FILE.
type outputs struct {
	stdout  string
	files   []outputFile
	allowed []string
}

type outputFile struct{ format, file string }

func (o *outputs) String() string { return o.stdout }

// Set takes FORMAT or FORMAT=FILE. Of several formats for stdout the last wins.
func (o *outputs) Set(s string) error {
	format, file, toFile := strings.Cut(s, "=")
	switch {
	case !slices.Contains(o.allowed, format):
		last := len(o.allowed) - 1
		return errors.New("want " + strings.Join(o.allowed[:last], ", ") + " or " + o.allowed[last])
	case !toFile:
		o.stdout = format
		return nil
	case file == "":
		return errors.New("want a file after " + format + "=")
	case slices.ContainsFunc(o.files, func(f outputFile) bool { return f.file == file }):
		return fmt.Errorf("two results for one file: %s", file)
	}
	o.files = append(o.files, outputFile{format, file})
	return nil
}

func (o *outputs) candidates() []string { return o.allowed }

// has says that some output is of the format.
func (o *outputs) has(format string) bool {
	return o.stdout == format || slices.ContainsFunc(o.files, func(f outputFile) bool { return f.format == format })
}

// write writes all outputs. The files come first: what stdout says is seen when
// they are there.
func (o *outputs) write(stdout io.Writer, do func(w io.Writer, format string, file bool) error) error {
	for _, out := range o.files {
		if err := writeFile(out.file, func(w io.Writer) error { return do(w, out.format, true) }); err != nil {
			return err
		}
	}
	return do(stdout, o.stdout, false)
}

func writeFile(name string, do func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := do(f); err != nil {
		f.Close() // the first error is the one to tell
		return err
	}
	return f.Close()
}
