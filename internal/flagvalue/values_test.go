package flagvalue

import (
	"math"
	"strconv"
	"testing"
)

func TestSize(t *testing.T) {
	for _, c := range []struct {
		text string
		want Size // 0: refused
	}{
		{"1", 1}, {"65536", 65536}, {"10B", 10}, {"10b", 10},
		{"4MiB", 4 << 20}, {"4mib", 4 << 20}, {"4 MiB", 4 << 20}, {"2KiB", 2 << 10}, {"1GiB", 1 << 30},
		{"4MB", 4e6}, {"4kB", 4e3}, {"1GB", 1e9},
		{"", 0}, {"0", 0}, {"-1", 0}, {"MiB", 0}, {"1.5MiB", 0}, {"4M", 0}, {"4 parsecs", 0}, {"1e6", 0},
		{strconv.Itoa(math.MaxInt), math.MaxInt}, {"9223372036854775808", 0}, {"9999999999GiB", 0},
	} {
		var got Size
		err := got.Set(c.text)
		if got != c.want || (err == nil) != (c.want != 0) {
			t.Errorf("Set(%q) = %d, %v; want %d", c.text, got, err, c.want)
		}
	}
}

func TestConstants(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"n=5", "5"},
		{"n=-1.5", "-1.5"},
		{"n= 5 ", "5"},
		{"n=tcp", `"tcp"`},
		{"n=us-east.1_b", `"us-east.1_b"`},
		{"n=true", "true"},
		{"n=null", "null"},
		{`n="a=b"`, `"a=b"`},
		{`n=["a","b"]`, `["a","b"]`},
		{`n={"a":1}`, `{"a":1}`},
		{"n", ""}, {"=5", ""}, {"n=", ""}, {"n=[1,", ""}, {"n=a b", ""}, {`n="a`, ""}, {"n=a,b", ""},
		{`n=["\ud83d\ude00"]`, `["\ud83d\ude00"]`}, {`n=["\ud800"]`, ""}, {"n=[\"\xff\"]", ""},
	} {
		got := Constants{}
		err := got.Set(c.text)
		if got["n"] != c.want || (err == nil) != (c.want != "") {
			t.Errorf("Set(%q) = %v, %v; want %s", c.text, got, err, c.want)
		}
	}
}
