package portallocator

// table is a map with mostly so few keys that to compare them one by one is
// quicker. It is used again and again.
type table[K comparable, V any] struct {
	keys   []K
	values []V
	index  map[K]int // where there are many
}

// fewKeys is how many keys are compared one by one.
const fewKeys = 16

// clear takes all keys out.
func (t *table[K, V]) clear() {
	if cap(t.keys) > keptRoom {
		*t = table[K, V]{}
	}
	t.keys, t.values = t.keys[:0], t.values[:0]
	if len(t.index) > 0 {
		clear(t.index)
	}
}

func (t *table[K, V]) find(k K) int {
	if len(t.keys) > fewKeys {
		if i, ok := t.index[k]; ok {
			return i
		}
		return -1
	}
	for i := range t.keys {
		if t.keys[i] == k {
			return i
		}
	}
	return -1
}

// get returns the key's value, the zero V if it has none.
func (t *table[K, V]) get(k K) (v V) {
	if i := t.find(k); i >= 0 {
		v = t.values[i]
	}
	return v
}

// of returns the key's value, to be changed before the next one is added; the
// zero V to begin with.
func (t *table[K, V]) of(k K) *V {
	i := t.find(k)
	if i < 0 {
		i = t.add(k)
	}
	return &t.values[i]
}

func (t *table[K, V]) add(k K) int {
	var none V
	t.keys, t.values = append(t.keys, k), append(t.values, none)
	i := len(t.keys) - 1
	switch {
	case i == fewKeys:
		if t.index == nil {
			t.index = map[K]int{}
		}
		for j, key := range t.keys {
			t.index[key] = j
		}
	case i > fewKeys:
		t.index[k] = i
	}
	return i
}
