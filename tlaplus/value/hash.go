package value

import "sync/atomic"

// Hashes of sets, functions and tuples are sums over their elements, so that the
// hash of what differs in one element follows from the old one.

const (
	golden = 0x9e3779b97f4a7c15

	hashOfEmpty      = 0x77 // of the tuple without elements
	hashOfNoElements = 0x55 // of the set without elements
)

func mix(h uint64) uint64 {
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	return h ^ h>>32
}

func hashText(s string, seed uint64) uint64 {
	h := seed
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	return mix(h + golden)
}

func pairHash(k, v uint64) uint64 { return mix(k*3 + mix(v+golden)) }

// some keeps 0 for "not computed".
func some(h uint64) uint64 {
	if h == 0 {
		return golden
	}
	return h
}

// known is a hash that a value may have been given since it was made; 0: none. Several
// goroutines may share the value.
func known(hash *uint64) uint64 { return atomic.LoadUint64(hash) }

// note gives a value its hash.
func note(hash *uint64, h uint64) uint64 {
	h = some(h)
	atomic.StoreUint64(hash, h)
	return h
}

// Hash returns a hash by which equal values are equal.
func Hash(v Value) uint64 {
	switch v := v.(type) {
	case Bool:
		if v {
			return 0x7b1d
		}
		return 0x3c9f
	case Int:
		return mix(uint64(uint32(v)) + 0x1234567)
	case *Str:
		return v.hash
	case *Model:
		return v.hash
	case *Tuple:
		h := known(&v.hash)
		if h == 0 {
			h = hashOfEmpty
			for i, e := range v.Elems {
				h += pairHash(uint64(i+1)*golden, Hash(e))
			}
			h = note(&v.hash, h)
		}
		return h
	case *Fcn:
		h := known(&v.hash)
		if h == 0 {
			h = 0x99
			for i, e := range v.Dom.Each() {
				h += pairHash(Hash(e), Hash(v.Val(i)))
			}
			h = note(&v.hash, h)
		}
		return h
	case *Set:
		v.check()
		h := known(&v.hash)
		if h == 0 {
			h = hashOfNoElements
			for _, e := range v.Each() {
				h += mix(Hash(e) + golden)
			}
			h = note(&v.hash, h)
		}
		return h
	case *Lambda:
		return Hash(v.Force())
	case Infinite, *Seq:
		Fail("a state cannot have the set %s", Show(v))
	}
	return Hash(Enumerate(v))
}
