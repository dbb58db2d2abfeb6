package local

import (
	"hash/fnv"
	"path/filepath"
	"slices"
	"testing"
)

// Of two files of which any bytes are others, each part has its last checkpoint or
// the one before, or there is an error: never a panic, no end, or another part's
// state. Where the first pages are made to fit what was changed, an older
// checkpoint may come of it.
func FuzzFiles(f *testing.F) {
	files, saved := pairOf(f, filepath.Join(f.TempDir(), "whole"), 5, littleShare)
	size := len(files[0])
	for _, at := range []int{0, 16, 4096, 4096 + 48, 2 * 4096, 3*4096 + 10, 5 * 4096, size - 100} {
		for _, patch := range []string{"\x00", "\xff\xff\xff\xff", "\x02\x00\x01\x00", "kafka:events/1", ""} {
			f.Add(uint32(at), []byte(patch), uint32(at/2), []byte("\x01"), at%3 == 0, false)
			f.Add(uint32(at), []byte(patch), uint32(0), []byte(""), true, true)
		}
	}
	f.Fuzz(func(t *testing.T, at uint32, patch []byte, otherAt uint32, otherPatch []byte, both, fit bool) {
		hurt := files
		hurt[0] = patched(files[0], at, patch, fit)
		if both {
			hurt[1] = patched(files[1], otherAt, otherPatch, fit)
		}
		if len(hurt[0])+len(hurt[1]) == 0 {
			return // two empty files are what a crash leaves before the first checkpoint
		}
		path := filepath.Join(t.TempDir(), "copy")
		if !fit {
			for _, said := range outcome(t, path, hurt, saved) {
				if said == "error" && !both {
					t.Error("an error, though one of the files is whole")
				}
			}
			return
		}
		write(t, path, hurt)
		s, err := Open(path, Options{noSync: true})
		if err != nil {
			return
		}
		defer s.Close()
		for name, history := range saved {
			got, err := load(partOf(t, s, name))
			if err == nil && got != nil && !slices.ContainsFunc(history, got.equal) {
				t.Errorf("%s: got %v, which was never saved", name, got)
			}
		}
	})
}

// patched is a copy of a file with other bytes somewhere; no bytes: cut off there.
func patched(data []byte, at uint32, patch []byte, fit bool) []byte {
	from := int(at) % len(data)
	if len(patch) == 0 {
		return slices.Clone(data[:from])
	}
	data = slices.Clone(data)
	copy(data[from:], patch)
	for page := 0; fit && page < 2; page++ {
		b := data[page*pageSize+headerSize:]
		h := fnv.New64a()
		h.Write(b[:metaSize-8])
		order.PutUint64(b[metaSize-8:], h.Sum64())
	}
	return data
}
