package trace

import (
	"math/big"
	"testing"
)

func FuzzInteger(f *testing.F) {
	for _, number := range []string{
		"0", "-0", "-0.0", "0e99", "1e0", "10e-1", "1.0", "100E-2", "-12.50e1", "0.001e3",
		"0.99999999999999999999", "1.00000000000000000001", "1e-1", "9007199254740993.0", "900719925474099.3e1",
		"9223372036854775807.0", "9223372036854775808", "-9.223372036854775808e18", "1e18", "1e19", "1e400", "-1e-400",
	} {
		f.Add(number)
	}
	f.Fuzz(func(t *testing.T, number string) {
		r, ok := new(big.Rat).SetString(number)
		if !ok || CheckJSON([]byte(number)) != "" {
			return // no number, or a power that is too large for the Rat
		}
		n, is := Integer(number)
		if want := r.IsInt() && r.Num().IsInt64(); is != want || is && n != r.Num().Int64() {
			t.Errorf("%s is %s: got %d, %v", number, r, n, is)
		}
	})
}
