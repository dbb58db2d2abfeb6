package tracefile

import (
	"bytes"
	"cmp"
	"errors"

	"github.com/urfave/cli/v2"

	"tracecheck/internal/console"
	"tracecheck/internal/flagvalue"
)

// Flags are the flags of a command that writes a trace.
type Flags struct {
	Name     string
	Compress flagvalue.Choice
}

func NewFlags() Flags { return Flags{Compress: flagvalue.Choice{Allowed: Compressions}} }

func (o *Flags) List() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Destination: &o.Name, Usage: "write to `FILE`, which must be new", DefaultText: "standard output"},
		&cli.GenericFlag{Name: "compress", Value: &o.Compress, Usage: "the compression: `none|gzip|zstd`", DefaultText: "gzip for .gz, zstd for .zst, otherwise none"},
	}
}

// ListWithFolder is List for a command that, with one of its words, writes into a folder.
func (o *Flags) ListWithFolder(word string) []cli.Flag {
	list := o.List()
	file := list[0].(*cli.StringFlag)
	file.Usage, file.DefaultText = file.Usage+"; for "+word+", it is a folder", file.DefaultText+"; for "+word+", the current folder"
	return list
}

// OrFile is the output's name, for a command that reads it.
func (o *Flags) OrFile() string {
	if IsStdout(o.Name) {
		return "FILE"
	}
	return o.Name
}

// Open begins the output; nothing is written yet.
func (o *Flags) Open(env console.Environment) (*Buffered, error) {
	how := o.Compress.Value
	if how == "" {
		how = CompressionOf(o.Name)
	}
	if IsStdout(o.Name) && how != CompressNone && console.IsTerminal(env.Stdout) {
		return nil, errors.New("compressed data is not for a terminal: name a file with --output")
	}
	return &Buffered{to: File{Name: o.Name, Stdout: env.Stdout, Compression: how}}, nil
}

// Buffered gathers lines before it writes them.
type Buffered struct {
	to  File
	buf bytes.Buffer
}

// outBlock is how many bytes are gathered before they are written.
const outBlock = 256 << 10

func (t *Buffered) Write(p []byte) (int, error) {
	t.buf.Write(p)
	if t.buf.Len() < outBlock {
		return len(p), nil
	}
	err := t.to.WriteLines(t.buf.Bytes())
	t.buf.Reset()
	return len(p), err
}

func (t *Buffered) Close() error {
	var err error
	if t.buf.Len() > 0 || t.to.out == nil && !t.to.failed {
		err = t.to.WriteLines(t.buf.Bytes()) // also of nothing: a file was asked for
	}
	return cmp.Or(err, t.to.Close())
}
