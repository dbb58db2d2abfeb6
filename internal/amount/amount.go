// Package amount formats numbers for people.
package amount

import "strconv"

// Of formats a number with a noun: "1 step", "1,042 steps".
func Of(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return Grouped(n) + " " + noun
}

// Grouped formats a number: "1,042".
func Grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
