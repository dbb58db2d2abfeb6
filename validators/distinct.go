package validators

import "slices"

// Distinct removes duplicates from the list of a run's snapshots, once it far exceeds the
// number of live objects. So repeated snapshots cost neither memory nor much time.
func Distinct[T any, K comparable](list []T, live int, key func(T) K) []T {
	const few = 64
	if len(list) < cap(list) || len(list) < 2*live+few {
		return list
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
