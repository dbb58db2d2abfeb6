package syntax

// word appends what begins with a letter, a digit or "_".
func (l *lexer) word(rest []byte) {
	n, letters, digits := 0, false, true
	for n < len(rest) && isWord(rest[n]) {
		letters = letters || isLetter(rest[n])
		digits = digits && isDigit(rest[n])
		n++
	}
	switch {
	case digits:
		l.add(kindNumber, n, l.text[l.i:l.i+n])
	case !letters && rest[0] == '_':
		l.symbol("_")
	case !letters: // a number before "_"
		n = 0
		for isDigit(rest[n]) {
			n++
		}
		l.add(kindNumber, n, l.text[l.i:l.i+n])
	case n == 3 && len(l.toks) > 0 && l.toks[len(l.toks)-1].is("."): // r.WF_
		l.name(l.text[l.i : l.i+n])
	case n >= 3 && (rest[0] == 'W' || rest[0] == 'S') && rest[1] == 'F' && rest[2] == '_':
		l.add(kindSymbol, 3, l.text[l.i:l.i+3])
	default:
		l.name(l.text[l.i : l.i+n])
	}
}

// name appends a keyword, an operator that is a word, or an identifier.
func (l *lexer) name(s string) {
	switch {
	case keywords[s]:
		l.add(kindSymbol, len(s), s)
	case operators[s] != nil:
		l.symbol(s)
	default:
		l.add(kindIdent, len(s), s)
	}
}

// backslash appends \/, \, a number in another base, or the longest word that is an
// operator or a quantifier.
func (l *lexer) backslash(rest []byte) {
	if len(rest) > 1 && rest[1] == '/' {
		l.symbol(`\/`)
		return
	}
	if n := basedLen(rest); n > 0 {
		l.add(kindNumber, n, l.text[l.i:l.i+n])
		return
	}
	n := 1
	for n < len(rest) && isLetter(rest[n]) {
		n++
	}
	for k := min(n, longestWord); k > 1; k-- {
		s := l.text[l.i : l.i+k]
		if _, ok := symbols[s]; ok || operators[s] != nil {
			l.symbol(s)
			return
		}
	}
	if n > 1 {
		l.illegal(n, "found %s, which is not an operator of TLA+", quoted(l.text[l.i:l.i+n]))
		return
	}
	l.symbol(`\`)
}

// longestWord is the length of the longest operator of letters.
const longestWord = len(`\sqsubseteq`)

// basedLen returns the length of the number \b01, \o17 or \hFF that src begins with,
// or 0.
func basedLen(src []byte) int {
	if len(src) < 2 {
		return 0
	}
	valid := func(byte) bool { return false }
	switch src[1] {
	case 'b', 'B':
		valid = func(c byte) bool { return c == '0' || c == '1' }
	case 'o', 'O':
		valid = func(c byte) bool { return '0' <= c && c <= '7' }
	case 'h', 'H':
		valid = func(c byte) bool { return isDigit(c) || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F' }
	}
	n := 2
	for n < len(src) && valid(src[n]) {
		n++
	}
	if n == 2 {
		return 0
	}
	return n
}

// stepLen returns the length of the proof step's name that src begins with, <1>2. or
// <*> and their like, or 0.
func stepLen(src []byte) int {
	n := 1
	for n < len(src) && isDigit(src[n]) {
		n++
	}
	if n == 1 && n < len(src) && (src[n] == '*' || src[n] == '+') {
		n++
	}
	if n == 1 || n == len(src) || src[n] != '>' {
		return 0
	}
	n++
	name := n
	for n < len(src) && isWord(src[n]) {
		n++
	}
	if n == name && n < len(src) && (src[n] == '*' || src[n] == '-') {
		n++
	}
	for n < len(src) && src[n] == '.' {
		n++
	}
	return n
}

// markDefinitions marks the token that each definition begins with: what exists
// before its "==". That is how a text without separators is cut into definitions.
func markDefinitions(toks []token) {
	at := func(i int) *token {
		if i < 0 {
			return &token{}
		}
		return &toks[i]
	}
	for i := range toks {
		if toks[i].kind != kindSymbol || toks[i].text != "==" {
			continue
		}
		start := i - 1
		switch t := at(start); {
		case t.kind == kindSymbol && (t.text == ")" || t.text == "]") && t.match > 0:
			start = t.match - 1
		case t.kind == kindOp && t.op.Fixity == Postfix:
			start = i - 2
		case t.kind == kindIdent:
			switch op := at(i - 2); {
			case op.kind != kindOp:
			case op.op.Fixity == Infix && at(i-3).kind == kindIdent:
				start = i - 3
			case op.op.Fixity == Prefix:
				start = i - 2
			}
		}
		t, before := at(start), at(start-1)
		inside := before.kind == kindSymbol && (before.text == "(" || before.text == "[" || before.text == "{" || before.text == ",")
		if start >= 0 && !inside && (t.kind == kindIdent || t.kind == kindOp) {
			t.def = true
		}
	}
}
