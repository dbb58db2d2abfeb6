package incident

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tracecheck/internal/files"
	"tracecheck/report"
)

// The files of a folder.
const (
	documentFile = "incident.md"
	sliceFile    = "slice.jsonl"
	shrunkFile   = "shrunk.jsonl"
	resultFile   = "result.json"
	timelineFile = "timeline.html"
)

// Check returns an error if Write cannot write to the name. "" and - are stdout. A name that
// ends with .md is a file, which must not exist. Any other name is a folder, which must not
// exist or must be empty.
func Check(name string) error {
	switch list, err := os.ReadDir(name); {
	case name == "" || name == "-" || files.IsDevice(name):
	case isDocument(name):
		if _, err := os.Lstat(name); err == nil {
			return exists(name)
		}
	case slices.Contains([]string{".html", ".json", ".txt"}, filepath.Ext("."+filepath.Base(name))): // also html
		return fmt.Errorf("%s would be a folder: a report is Markdown, in a file that ends with .md or in a folder", name)
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fmt.Errorf("%w: name a folder for the report, or a file that ends with .md", err)
	case len(list) > 0:
		return fmt.Errorf("%s is not empty: name another folder for the report", name)
	}
	return nil
}

func isDocument(name string) bool { return strings.HasSuffix(name, ".md") }

func exists(name string) error {
	return fmt.Errorf("%s already exists: rename it, or choose another --output", name)
}

// Write writes the document to stdout or to a file, or the document and its files to a folder.
func (in *Incident) Write(stdout io.Writer, name string) error {
	switch {
	case name == "" || name == "-":
		_, err := io.WriteString(report.Visible(stdout), in.Markdown("", ""))
		return err
	case isDocument(name) || files.IsDevice(name):
		return create(name, []byte(in.Markdown("", "")))
	}
	if err := os.MkdirAll(name, 0o777); err != nil {
		return files.Advise(err)
	}
	if in.account == nil {
		return create(filepath.Join(name, documentFile), []byte(in.Markdown("", "")))
	}
	var result, page bytes.Buffer
	if err := errors.Join(report.JSON(&result, in.Result), report.HTML(&page, in.doc)); err != nil {
		return err
	}
	all := map[string][]byte{resultFile: result.Bytes(), timelineFile: page.Bytes()}
	slice, shrunk := "", ""
	if in.slice != nil {
		slice, all[sliceFile] = sliceFile, joined(in.slice.Lines)
	}
	if in.shrunk != nil {
		shrunk, all[shrunkFile] = shrunkFile, joined(in.shrunk.Lines)
	}
	all[documentFile] = []byte(in.Markdown(slice, shrunk))
	var made []string
	for file, data := range all {
		path := filepath.Join(name, file)
		if err := create(path, data); err != nil {
			for _, other := range made { // a part of a report is none, and the next try needs the folder
				os.Remove(other)
			}
			return err
		}
		made = append(made, path)
	}
	return nil
}

func joined(lines []string) []byte { return []byte(strings.Join(lines, "\n") + "\n") }

// create writes a file that does not exist yet.
func create(name string, data []byte) error {
	err := files.Create(name, data)
	if errors.Is(err, fs.ErrExist) {
		return exists(name)
	}
	return err
}
