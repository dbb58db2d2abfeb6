package validators

import "slices"

// Distinct is the list of what a run of snapshots has shown, without what is in
// it again, where it would grow though it is much longer than what lives: so
// showing the same again and again costs neither memory nor much time. The
// first stay, in order.
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

// Same is the key of records that are told apart by where they are.
func Same[T any](x *T) *T { return x }
