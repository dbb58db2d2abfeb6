package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// As much as the limit is read, and no more, also of what has no size.
func TestRead(t *testing.T) {
	const most = 1000
	for _, n := range []int{0, 1, most, most + 1, 100 * most} {
		text := strings.Repeat("x", n)
		name := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			w.WriteString(text) // fails where not all is read
			w.Close()
		}()
		names := []string{name}
		if pipe := fmt.Sprint("/dev/fd/", r.Fd()); exists(pipe) {
			names = append(names, pipe)
		}
		for _, name := range names {
			data, err := Read(name, most)
			if n <= most && (err != nil || string(data) != text) {
				t.Errorf("%s of %d bytes: %d are read, %v", name, n, len(data), err)
			}
			if n > most && (err == nil || !strings.Contains(err.Error(), fmt.Sprint(most)) || !strings.Contains(err.Error(), name)) {
				t.Errorf("%s of %d bytes: %v", name, n, err)
			}
		}
		r.Close()
	}
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// A file appears whole or not at all, and what stood there stays after a failure.
func TestWholeOrNot(t *testing.T) {
	dir := t.TempDir()
	name, full := filepath.Join(dir, "report"), errors.New("no space left")
	half := func(w io.Writer) error {
		io.WriteString(w, "half")
		return full
	}
	want := func(text string, mode os.FileMode) {
		t.Helper()
		if got, _ := os.ReadFile(name); string(got) != text {
			t.Errorf("the file has %q, want %q", got, text)
		}
		if info, err := os.Stat(name); text != "" && (err != nil || info.Mode().Perm() != mode) {
			t.Errorf("%v, %v, want the mode %v", info.Mode(), err, mode)
		}
		if other, _ := filepath.Glob(filepath.Join(dir, "*.new")); len(other) > 0 {
			t.Errorf("%v stays", other)
		}
	}
	if err := ReplaceBy(name, half); err != full {
		t.Error(err)
	}
	want("", 0)
	if err := os.WriteFile(name, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := ReplaceBy(name, half); err != full {
		t.Error(err)
	}
	want("old", 0o600)
	if err := Replace(name, []byte("new")); err != nil {
		t.Error(err)
	}
	want("new", 0o600)
	if err := os.Mkdir(name+".new", 0o700); err != nil { // so it cannot be replaced
		t.Fatal(err)
	}
	if err := Replace(name, []byte("in place")); err != nil {
		t.Error(err)
	}
	if err := os.Remove(name + ".new"); err != nil {
		t.Fatal(err)
	}
	want("in place", 0o600)
	if err := Replace(dir, nil); !errors.Is(err, syscall.EISDIR) {
		t.Errorf("a folder: %v", err)
	}
	if err := Create(name, []byte("other")); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	want("in place", 0o600)
}

// A quoted word has one line, and a shell reads it as the word.
func TestQuoted(t *testing.T) {
	for word, want := range map[string]string{
		"a-b.jsonl:5":      "a-b.jsonl:5",
		"":                 "''",
		"a b":              "'a b'",
		"it's":             `'it'\''s'`,
		"ü\"$HOME\\":       `'ü"$HOME\'`,
		"new\nline":        `$'new\nline'`,
		"it's\t\x1b\xff\"": `$'it\'s\t\x1b\xff\"'`,
	} {
		if got := Quoted(word); got != want {
			t.Errorf("%q is %s, want %s", word, got, want)
		}
		if out, err := exec.Command("bash", "-c", "printf %s "+want).Output(); err == nil && string(out) != word {
			t.Errorf("a shell reads %s as %q, want %q", want, out, word)
		}
	}
}
