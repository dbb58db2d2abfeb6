package foreign

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// magic recognises a kind of file by its first bytes.
type magic struct {
	name    string
	at      int
	bytes   string
	command string // the command that converts it to text, without the file's name
	instead string // what to do, if there is no such command
}

var magics = []magic{
	{name: "gzip data within compressed data", bytes: "\x1f\x8b\x08", command: "gzip -dc"},
	{name: "zstd data within compressed data", bytes: "\x28\xb5\x2f\xfd", command: "zstd -dc"},
	{name: "bzip2 data", bytes: "BZh", command: "bzip2 -dc"},
	{name: "xz data", bytes: "\xfd7zXZ\x00", command: "xz -dc"},
	{name: "lz4 data", bytes: "\x04\x22\x4d\x18", command: "lz4 -dc"},
	{name: "a zip archive", bytes: "PK\x03\x04", command: "unzip -p"},
	{name: "a tar archive", at: 257, bytes: "ustar", command: "tar -xOf"},
	{name: "a journal of systemd", bytes: "LPKSHHRH", command: "journalctl -o json --file"},
	{name: "a capture of network packets (pcap)", bytes: "\xd4\xc3\xb2\xa1"},
	{name: "a capture of network packets (pcap)", bytes: "\xa1\xb2\xc3\xd4"},
	{name: "a capture of network packets (pcap)", bytes: "\x4d\x3c\xb2\xa1"},
	{name: "a program (ELF)", bytes: "\x7fELF"},
	{name: "a program (Windows)", bytes: "MZ\x90\x00"},
	{name: "a PDF", bytes: "%PDF-"},
	{name: "an image (PNG)", bytes: "\x89PNG"},
	{name: "an SQLite database", bytes: "SQLite format 3\x00"},
	{name: "Parquet data", bytes: "PAR1"},
	{name: "Avro data", bytes: "Obj\x01"},
	{name: "a file of checkpoints", at: 16, bytes: "\xed\xda\x0c\xed", instead: "read it with `tracecheck checkpoint show`"},
}

// binary returns a name for content that is not UTF-8 text; "" if it is not recognised.
func (in Input) binary() string {
	if encoding := encoding(in.Text); encoding != "" {
		return in.convert("the file is "+encoding+", and a trace is UTF-8", "iconv -f "+encoding+" -t UTF-8")
	}
	for _, m := range magics {
		if len(in.Text) < m.at || !bytes.HasPrefix(in.Text[m.at:], []byte(m.bytes)) {
			continue
		}
		what := "the file is binary: it is " + m.name
		if in.Module {
			what = strings.TrimSuffix(what, " within compressed data")
		}
		switch {
		case m.command != "":
			return in.convert(what, m.command)
		case m.instead != "":
			return what + ": " + m.instead
		}
		return what + ". " + nameTrace
	}
	if line, _, _ := bytes.Cut(in.Text, []byte{'\n'}); bytes.IndexByte(line, 0) >= 0 || 16*controls(line) > len(line)+16 {
		return "the file is binary, and not a log. " + nameTrace
	}
	return ""
}

// Name returns what a file is that begins with the text, such as "a trace"; "" if it is not
// recognised.
func Name(text []byte) string {
	for _, m := range magics {
		if m.instead == "" && len(text) >= m.at && bytes.HasPrefix(text[m.at:], []byte(m.bytes)) {
			return strings.TrimSuffix(m.name, " within compressed data")
		}
	}
	line, _, _ := bytes.Cut(text, []byte{'\n'})
	if len(text) == 0 || !utf8.Valid(line) || controls(text) > 0 {
		return ""
	}
	v := gjson.ParseBytes(line)
	if !gjson.ValidBytes(line) || !v.IsObject() {
		return "text"
	}
	if isEvent(v) {
		return "a trace"
	}
	for _, log := range jsonLogs {
		if log.is(v) {
			return log.name
		}
	}
	return "JSON"
}

const nameTrace = "A trace is text, in JSON Lines: name the file that has it"

// controls counts the characters that text rarely has.
func controls(line []byte) (n int) {
	for _, r := range line {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' && r != '\f' && r != '\x1b' {
			n++
		}
	}
	return n
}

// encoding returns iconv's name of an encoding other than UTF-8, or "".
func encoding(text []byte) string {
	for _, mark := range []struct{ bytes, name string }{
		{"\xff\xfe\x00\x00", "UTF-32"}, {"\x00\x00\xfe\xff", "UTF-32"}, {"\xff\xfe", "UTF-16"}, {"\xfe\xff", "UTF-16"},
	} {
		if strings.HasPrefix(string(text[:min(len(text), 4)]), mark.bytes) {
			return mark.name
		}
	}
	switch zero := zeros(text[:min(len(text), 8)]); {
	case len(text) < 4:
	case zero == "x0x0x0x0"[:len(zero)]:
		return "UTF-16LE"
	case zero == "0x0x0x0x"[:len(zero)]:
		return "UTF-16BE"
	}
	return ""
}

// zeros shows the pattern of zero bytes.
func zeros(text []byte) string {
	shape := make([]byte, len(text))
	for i, c := range text {
		if shape[i] = 'x'; c == 0 {
			shape[i] = '0'
		}
	}
	return string(shape)
}
