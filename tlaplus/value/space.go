package value

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"
	"strings"
	"sync"
	"weak"
)

// Str is a string. Equal strings of a Space are the same pointer.
type Str struct {
	Text string
	tok  int64
	hash uint64
}

// Model is a model value. It equals only itself.
type Model struct {
	Name string
	typ  byte // of a typed one, as of a_1; else 0
	tok  int64
	hash uint64
}

// Space is the strings and model values of one evaluation. After Settle, several goroutines
// may use it.
type Space struct {
	strs    map[string]*Str  // does not change after Settle
	order   map[string]int64 // tok, also of strings that may come; does not change after Settle
	settled bool

	lock     sync.Mutex // of what follows
	models   map[string]*Model
	shapes   map[string]*shape
	late     map[string]weak.Pointer[Str] // after Settle
	next     int64                        // tok of the next of these
	mostLate int                          // when those that are gone are looked for
}

// shape is the domain of records with certain fields, and the place of each.
type shape struct {
	dom *Set
	at  []int
}

const (
	firstLate  = 1 << 40 // tok
	fewLate    = 1 << 10
	mostShapes = 1 << 10
)

// NewSpace returns one without strings.
func NewSpace() *Space {
	return &Space{strs: map[string]*Str{}, order: map[string]int64{}, models: map[string]*Model{}, shapes: map[string]*shape{}}
}

// Settle reports that the texts have been read. The strings that appear later come from the
// lines of a log, of which there is no end: they are forgotten once no value has them,
// and come after the others in the order of their texts. What has been forgotten makes
// no difference then.
func (s *Space) Settle() {
	if s.settled {
		return
	}
	s.settled = true
	s.late, s.next, s.mostLate = map[string]weak.Pointer[Str]{}, firstLate, fewLate
}

// Texts returns the strings of the texts. Call it after Settle.
func (s *Space) Texts() []string { return slices.Sorted(maps.Keys(s.strs)) }

// String returns the string of that text.
func (s *Space) String(text string) *Str {
	str := s.strs[text]
	switch {
	case str != nil:
	case s.settled:
		s.lock.Lock()
		defer s.lock.Unlock()
		return s.lately(text)
	default:
		s.Place(text)
		str = newStr(text, s.order[text])
		s.strs[text] = str
	}
	return str
}

// Place gives a string that may come its place in the order: after those that have one. Call
// it before Settle.
func (s *Space) Place(text string) {
	if _, ok := s.order[text]; !ok {
		s.order[text] = int64(len(s.order))
	}
}

// Borrowed is String for a text that may change later.
func (s *Space) Borrowed(text string) *Str {
	if str := s.strs[text]; str != nil {
		return str
	}
	if !s.settled {
		return s.String(strings.Clone(text))
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	if str := s.late[text].Value(); str != nil {
		return str
	}
	return s.lately(strings.Clone(text))
}

func newStr(text string, tok int64) *Str {
	return &Str{Text: text, tok: tok, hash: hashText(text, 0x51ed)}
}

// lately is String after Settle, with the lock.
func (s *Space) lately(text string) *Str {
	if str := s.late[text].Value(); str != nil {
		return str
	}
	if len(s.late) >= s.mostLate {
		for text, p := range s.late {
			if p.Value() == nil {
				delete(s.late, text)
			}
		}
		s.mostLate = 2*len(s.late) + fewLate
	}
	tok, ok := s.order[text]
	if !ok {
		tok = s.next
		s.next++
	}
	str := newStr(text, tok)
	s.late[text] = weak.Make(str)
	return str
}

// Model returns the model value of that name.
func (s *Space) Model(name string) *Model {
	str := s.String(name)
	s.lock.Lock()
	defer s.lock.Unlock()
	m := s.models[name]
	if m == nil {
		m = &Model{Name: name, tok: str.tok, hash: hashText(name, 0xa0de)}
		if len(name) > 2 && name[1] == '_' {
			m.typ = name[0]
		}
		s.models[name] = m
	}
	return m
}

// Fields returns the domain of a record with these fields, and the place of each field in it.
// The domain is the same each time unless there are very many. A field may be there twice.
func (s *Space) Fields(names []*Str) (dom *Set, at []int) {
	var space [64]byte
	key := space[:0]
	for _, n := range names {
		key = binary.AppendVarint(key, n.tok)
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	f := s.shapes[string(key)]
	if f == nil {
		elems := make([]Value, len(names))
		for i, n := range names {
			elems[i] = n
		}
		f = &shape{dom: NewSet(slices.Clone(elems)), at: make([]int, len(names))}
		for i, e := range elems {
			f.at[i] = f.dom.Index(e)
		}
		if len(s.shapes) >= mostShapes {
			clear(s.shapes)
		}
		s.shapes[string(key)] = f
	}
	return f.dom, f.at
}

// byAppearance is the order of strings, and of model values: that of their first
// appearance or, after Settle, of their texts.
func byAppearance(x, y int64, a, b string) int {
	if x >= firstLate && y >= firstLate {
		return strings.Compare(a, b)
	}
	return cmp.Compare(x, y)
}
