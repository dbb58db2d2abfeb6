package follow

import "testing"

// A position that is taken is written as it was read, and looking for it does no
// harm.
func FuzzPosition(f *testing.F) {
	d := newDisk(f)
	d.add(logName, nodes("a", "b"))
	d.add(logName+".1", nodes("c"))
	d.add(logName+".2.gz", string(packed(f, ".gz", []byte(nodes("d", "e")))))
	file, err := Open(d.path(logName), Options{})
	if err != nil {
		f.Fatal(err)
	}
	whole := place{Line: 3, Offset: 9, Inode: 4, Time: 5, Head: sumOf([]byte("a")), Tail: sumOf([]byte("b")), Done: []mark{{7, sumOf([]byte("c")), sumOf([]byte("d"))}}}
	for _, seed := range []string{"", "{", whole.String(), `{"line":1}`, `{"line":1,"offset":9223372036854775807}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, from string) {
		p, err := parsePlace(from)
		if err != nil {
			return
		}
		if again, err := parsePlace(p.String()); from != "" && (err != nil || again.String() != p.String()) {
			t.Errorf("%s was read as %s: %v", from, again.String(), err)
		}
		s, _, err := file.locate(&p)
		if err != nil {
			t.Errorf("%s: %v", from, err)
		}
		if s != nil {
			s.close()
		}
	})
}
