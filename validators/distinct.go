package validators

import "slices"

// Distinct removes duplicates from the list of a run's snapshots, once it is
// much longer than the number of live objects. So repeated snapshots cost
// neither memory nor much time. The first of each key stays, in order.
func Distinct[T any, K comparable](list []T, live int, key func(T) K) []T {
	const few = 64
	if len(list) < cap(list) || len(list) < 2*live+few {
		return list
	}
	seen := make(map[K]struct{}, live)
	return slices.DeleteFunc(list, func(x T) bool {
		k := key(x)
		_, again := seen[k]
		seen[k] = struct{}{}
		return again
	})
}

// Same is the key for records that are compared by identity.
func Same[T any](x *T) *T { return x }
