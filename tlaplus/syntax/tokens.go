package syntax

// TokenKind is a kind of token.
type TokenKind int

// The kinds of tokens.
const (
	WordToken   TokenKind = iota + 1 // an identifier or a reserved word
	NumberToken                      // 12, \hFF
	StringToken                      // Text is as it is written, without its quotes
	SymbolToken                      // an operator or a bracket; Text is canonical
)

// Token is a piece of a text that has the words, symbols and comments of TLA+ but
// another grammar.
type Token struct {
	Span
	Kind TokenKind
	Text string
}

// Tokens cuts a text into tokens. The error is Errors; the tokens that were read are
// returned with it.
func Tokens(file string, text []byte) ([]Token, error) {
	var tokens []Token
	var errs Errors
	for _, t := range lexAll(text) {
		out := Token{t.span, SymbolToken, t.text}
		switch t.kind {
		case kindEnd:
			continue
		case kindIllegal:
			if len(errs) < maxErrors {
				errs = append(errs, &Error{file, t.span, t.text})
			}
			continue
		case kindNumber:
			out.Kind = NumberToken
		case kindString:
			out.Kind = StringToken
			out.Text = string(text[t.from+1 : t.to-1])
		default:
			if keywords[t.text] || t.kind == kindIdent || isLetter(t.text[0]) {
				out.Kind = WordToken
			}
		}
		tokens = append(tokens, out)
	}
	if errs != nil {
		return tokens, errs
	}
	return tokens, nil
}
