package trace

import (
	"fmt"
	"strconv"
	"strings"
)

// messages is the prefix of MessageFile: kafka:topic/partition.
const messages = "kafka:"

// MessageFile is the File of the messages of a Kafka partition. Their Line is
// the offset plus 1, since lines count from 1, but offsets from 0.
func MessageFile(topic string, partition int) string {
	return messages + topic + "/" + strconv.Itoa(partition)
}

// MessagePos is the position of a Kafka message; file is from MessageFile.
func MessagePos(file string, offset int64) Pos { return Pos{File: file, Line: int(offset) + 1} }

// Offset returns the offset of a Kafka message. ok is false for a line of a
// file.
func (p Pos) Offset() (offset int64, ok bool) {
	if p.Line == 0 || !strings.HasPrefix(p.File, messages) {
		return 0, false
	}
	return int64(p.Line) - 1, true
}

// Number is the offset of a message, or the number of a line.
func (p Pos) Number() int64 {
	if offset, ok := p.Offset(); ok {
		return offset
	}
	return int64(p.Line)
}

// Within is the position in its file: "line 12", "offset 11".
func (p Pos) Within() string { return fmt.Sprintf("%s %d", p.unit(), p.Number()) }

// Span is the range of a step in the file of its end, such as "lines 12 to 14".
func Span(first, last Pos) string {
	return fmt.Sprintf("%ss %d to %d", last.unit(), first.Number(), last.Number())
}

func (p Pos) unit() string {
	if _, ok := p.Offset(); ok {
		return "offset"
	}
	return "line"
}
