package kafka

import (
	"bytes"
	"errors"
	"slices"

	"github.com/klauspost/compress/s2"
)

// framed is how Java's framing of Snappy begins: after it and two versions, each block has its
// length before it. Other clients write one block, without framing.
var framed = []byte("\x82SNAPPY\x00")

// mostUnsnapped bounds what a byte becomes: three bytes stand for 64 at most.
const mostUnsnapped = 22

// unsnap decompresses into buf. The library's reader takes memory as a block claims, up to 4 GB.
func unsnap(buf, stored []byte) (grown []byte, err error) {
	if !bytes.HasPrefix(stored, framed) {
		return unsnapBlock(buf, stored, maxInflated)
	}
	start := len(buf)
	w := wire{rest: stored}
	w.bytes(len(framed) + 8)
	for len(w.rest) > 0 && err == nil {
		block := w.bytes(int(w.int32()))
		buf, err = unsnapBlock(buf, block, maxInflated-(len(buf)-start))
	}
	if w.short {
		err = errors.New("it ends within a block")
	}
	return buf, err
}

func unsnapBlock(buf, block []byte, most int) (grown []byte, err error) {
	n, err := s2.DecodedLen(block)
	if err != nil {
		return buf, err
	}
	switch {
	case n > mostUnsnapped*len(block):
		return buf, s2.ErrCorrupt
	case n > most:
		return buf, errLarge
	}
	start := len(buf)
	buf = slices.Grow(buf, n)[:start+n]
	_, err = s2.Decode(buf[start:], block)
	return buf, err
}
