package validators

import "slices"

// Distinct removes duplicates from the list of a run's snapshots, once it far exceeds the
// number of live objects. So repeated snapshots cost neither memory nor much time. A full list
// gets twice the room: append would make a long one grow often, and leave much garbage.
func Distinct[T any, K comparable](list []T, live int, key func(T) K) []T {
	const few = 64
	switch {
	case len(list) < cap(list):
		return list
	case len(list) < 2*live+few:
		return slices.Grow(list, len(list))
	}
	return Unique(list, key)
}

// Unique leaves the first of each key, in order.
func Unique[T any, K comparable](list []T, key func(T) K) []T {
	seen := make(map[K]struct{}, len(list))
	return slices.DeleteFunc(list, func(x T) bool {
		k := key(x)
		_, again := seen[k]
		seen[k] = struct{}{}
		return again
	})
}

// Same is the key for records that are compared by identity.
func Same[T any](x *T) *T { return x }
