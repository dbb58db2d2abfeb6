package syntax

import (
	"strings"
	"testing"
)

// TestDepth parses texts that are nested deeper than the parser goes: each ends in an
// error, not in an overflow of the stack.
func TestDepth(t *testing.T) {
	const n = 20_000
	many := func(s string) string { return strings.Repeat(s, n) }
	var staircase strings.Builder
	for i := range maxDepth + 10 {
		staircase.WriteString(strings.Repeat(" ", i) + "/\\\n")
	}
	for name, text := range map[string]string{
		"parentheses":  many("(") + "x" + many(")"),
		"prefix":       many("~ ") + "x",
		"minus":        many("-(") + "x" + many(")"),
		"postfix":      "x" + many("'"),
		"fields":       "x" + many(".a"),
		"left":         "x" + many(" + x"),
		"times":        "x" + many(` \cup x`),
		"sets":         many("{") + many("}"),
		"filters":      many(`{x \in `) + "y" + many("}"),
		"tuples":       many("<<") + many(">>"),
		"functions":    many(`[x \in `) + "y",
		"quantifiers":  many(`\E x : `) + "y",
		"conditionals": many("IF a THEN b ELSE ") + "c",
		"lets":         many("LET x == ") + "y",
		"cases":        many("CASE a -> ") + "y",
		"labels":       many("l :: ") + "y",
		"applications": many("f(") + "y" + many(")"),
		"bullets":      many("/\\ ") + "y",
		"staircase":    "\n" + staircase.String() + "y",
		"sums":         strings.Repeat("(", 100) + "x" + strings.Repeat(strings.Repeat(" + x", 100)+")", 100),
		"subscripts":   many("[x]_["),
		"proofs":       "x" + many("\n<+> x"),
		"modules":      many("\n---- MODULE N ----"),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("M.tla", []byte("---- MODULE M ----\nTHEOREM "+text+"\n===="))
			if err == nil || !strings.Contains(err.Error(), "levels of nesting") {
				t.Errorf("error %.200v, expected one of the nesting", err)
			}
		})
	}
}

// TestWide parses texts that are long without being deep.
func TestWide(t *testing.T) {
	const n = 20_000
	many := func(s string) string { return strings.Repeat(s, n) }
	for name, text := range map[string]string{
		"conjuncts":  many("/\\ x\n"),
		"set":        "{" + many("x,\n") + "x}",
		"arguments":  "f(" + many("x,\n") + "x)",
		"units":      "x\n" + many("A == 1\n"),
		"comment":    many("(*") + many("*)") + "x",
		"selectors":  "M" + many("!M"),
		"definition": "LET " + many("x == 1\n") + "IN x",
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Parse("M.tla", []byte("---- MODULE M ----\nA ==\n"+text+"\n====")); err != nil {
				t.Errorf("%.200v", err)
			}
		})
	}
}
