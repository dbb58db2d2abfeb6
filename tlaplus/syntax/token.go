package syntax

import "sync"

// kind is the kind of a token.
type kind uint8

const (
	kindEnd     kind = iota // the text's end
	kindIdent               // an identifier
	kindNumber              // a number without a decimal point
	kindString              // a string; text is its value
	kindSymbol              // a keyword or a symbol that is not an operator
	kindOp                  // an operator; text is its canonical spelling
	kindStep                // the name of a proof's step, <1>2
	kindModule              // ---- MODULE
	kindRule                // ----
	kindClose               // ====
	kindIllegal             // text is a message
)

// token is a piece of the text.
type token struct {
	kind   kind
	bullet bool // an operator that begins a bulleted list where it has no left argument
	def    bool // the first token of a definition
	text   string
	op     *Operator
	span   Span
	from   int // offset in bytes
	to     int // offset behind the last byte
	match  int // of an opening bracket: the index of the closing one
}

// keywords are reserved words that are no operators.
var keywords = set(
	"ACTION", "ACTIONS", "ASSUME", "ASSUMPTION", "AXIOM", "BY", "CASE", "CHOOSE", "CONSTANT", "CONSTANTS",
	"COROLLARY", "DEF", "DEFINE", "DEFS", "ELSE", "EXCEPT", "EXTENDS", "HAVE", "HIDE", "IF", "IN", "INSTANCE",
	"LAMBDA", "LEMMA", "LET", "LOCAL", "MODULE", "NEW", "OBVIOUS", "OMITTED", "ONLY", "OTHER", "PICK", "PROOF",
	"PROPOSITION", "PROVE", "QED", "RECURSIVE", "STATE", "SUFFICES", "TAKE", "TEMPORAL", "TEMPORALS", "THEN",
	"THEOREM", "USE", "VARIABLE", "VARIABLES", "WITH", "WITNESS",
)

// symbols are what is neither word nor operator, with what each means.
var symbols = map[string]string{
	"(": "(", ")": ")", "[": "[", "]": "]", "]_": "]_", "{": "{", "}": "}", ",": ",", ".": ".", ":": ":", "!": "!",
	"_": "_", "@": "@", "<<": "<<", "⟨": "<<", ">>": ">>", "⟩": ">>", ">>_": ">>_", "⟩_": ">>_",
	"==": "==", "≜": "==", "::": "::", "∷": "::", "->": "->", "→": "->", "<-": "<-", "←": "<-", "|->": "|->", "↦": "|->",
	`\A`: `\A`, `\forall`: `\A`, "∀": `\A`, `\E`: `\E`, `\exists`: `\E`, "∃": `\E`, `\AA`: `\AA`, `\EE`: `\EE`,
	"[]ASSUME": "ASSUME", "[]PROVE": "PROVE",
}

// longest has the spellings of symbols and operators, by their first byte,
// longest first. Words are not among them.
var longest = sync.OnceValue(func() *[256][]string {
	var byFirst [256][]string
	add := func(s string) {
		if c := s[0]; !isLetter(c) {
			list := byFirst[c]
			i := 0
			for i < len(list) && len(list[i]) >= len(s) {
				i++
			}
			list = append(list, "")
			copy(list[i+1:], list[i:])
			list[i] = s
			byFirst[c] = list
		}
	}
	for s := range symbols {
		if s != "_" {
			add(s)
		}
	}
	for s := range operators {
		add(s)
	}
	return &byFirst
})

func set(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isWord(c byte) bool   { return isLetter(c) || isDigit(c) || c == '_' }
