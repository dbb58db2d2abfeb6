package command

import (
	"bytes"
	"errors"

	"github.com/urfave/cli/v2"

	"tracecheck/internal/console"
	"tracecheck/internal/flagvalue"
)

// outFlags are the flags of a command that writes a trace.
type outFlags struct {
	name     string
	compress flagvalue.Choice
}

func newOutFlags() outFlags { return outFlags{compress: flagvalue.Choice{Allowed: compressions}} }

func (o *outFlags) flags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Destination: &o.name, Usage: "write to `FILE`, which must be new", DefaultText: "standard output"},
		&cli.GenericFlag{Name: "compress", Value: &o.compress, Usage: "compress with `none|gzip|zstd`", DefaultText: "gzip for .gz, zstd for .zst, else none"},
	}
}

// orFile is the output's name, for a command that reads it.
func (o *outFlags) orFile() string {
	if o.name == "" {
		return "FILE"
	}
	return o.name
}

// open begins the output; nothing is written yet.
func (o *outFlags) open(env console.Environment) (*traceOut, error) {
	how := o.compress.Value
	if how == "" {
		how = compressionOf(o.name)
	}
	if o.name == "" && how != compressNone && console.IsTerminal(env.Stdout) {
		return nil, errors.New("compressed data is not for a terminal: name a file with --output")
	}
	return &traceOut{to: recording{name: o.name, stdout: env.Stdout, compression: how}}, nil
}

// traceOut gathers lines before it writes them.
type traceOut struct {
	to  recording
	buf bytes.Buffer
}

// outBlock is how many bytes are gathered before they are written.
const outBlock = 256 << 10

func (t *traceOut) Write(p []byte) (int, error) {
	t.buf.Write(p)
	if t.buf.Len() < outBlock {
		return len(p), nil
	}
	err := t.to.write(t.buf.Bytes())
	t.buf.Reset()
	return len(p), err
}

func (t *traceOut) close() error {
	var err error
	if t.buf.Len() > 0 || t.to.out == nil && !t.to.failed {
		err = t.to.write(t.buf.Bytes()) // also of nothing: a file was asked for
	}
	if closeErr := t.to.close(); err == nil {
		err = closeErr
	}
	return err
}
