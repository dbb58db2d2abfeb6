package export

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"tracecheck/internal/files"
)

// WriteFiles writes the module and its cfg into the folder, "" for the current one. The files
// must be new. They are called Trace_ and the name, "" for that of the trace's file.
func (b *Behaviour) WriteFiles(dir, name, file string) (module string, err error) {
	if name == "" {
		name, _, _ = strings.Cut(filepath.Base(file), ".")
	}
	module = "Trace_" + moduleName(name)
	return module, b.writeFiles(dir, module)
}

// moduleName is a name as TLA+ has them.
func moduleName(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r < 128 && (r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
			return r
		}
		return '_'
	}, s)
}

func (b *Behaviour) writeFiles(dir, name string) error {
	if dir == "-" {
		return errors.New("a module and its cfg are two files: name their folder with --output")
	}
	var module, config strings.Builder
	if err := b.WriteModule(&module, &config, name); err != nil {
		return err
	}
	if err := os.MkdirAll(cmp.Or(dir, "."), 0o777); err != nil {
		return fmt.Errorf("cannot make the folder of the module: %w", files.Advise(err))
	}
	for _, file := range []struct{ ext, text string }{{".tla", module.String()}, {".cfg", config.String()}} {
		path := filepath.Join(dir, name+file.ext)
		f, err := files.New(path, 0o666)
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%s already exists: rename it, or choose another --name or --output", path)
		}
		if err != nil {
			return fmt.Errorf("cannot write the module: %w", err)
		}
		_, err = f.WriteString(file.text)
		if err := errors.Join(err, f.Close()); err != nil {
			return fmt.Errorf("cannot write the module: %w", err)
		}
	}
	return nil
}
