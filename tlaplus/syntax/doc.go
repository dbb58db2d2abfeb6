// Package syntax reads the text of TLA+ modules: it makes their syntax trees,
// and reports what is wrong with a text by file, line and column. It knows
// nothing of what names mean.
//
// Proofs and PlusCal algorithms are skipped. The grammar is that of "Specifying
// Systems", part IV, with the changes of TLA+2, as SANY reads it.
//
// # How it reads
//
// A text has no separators between definitions. Its tokens are all read first; the
// tokens before each "==" that begin a definition are marked, and end the expression
// before. A bulleted list is found by columns: what is not right of the innermost
// bullet ends its item. Operators have ranges of precedence (Operators); two
// neighbours whose ranges overlap are an error.
//
// Where SANY fails a test of its own corpus, the corpus counts. -x may be the right operand of
// an operator that binds stronger. [x \in S]_v is an action, \A <<>> \in S is an error, and so
// is LOCAL in a LET.
//
// # Why another parser
//
// The alternative was tree-sitter-tlaplus, by way of cgo. Its grammar is complete and
// well kept, but:
//
//   - It is C. Static binaries and builds for other systems need a C compiler for each.
//   - It is made for editors: it accepts every text, and its tree has ERROR nodes where
//     it had to guess. It does not say what it found and what it expected.
//   - The grammar accepts more than TLA+: it has no ranges of precedence, so that
//     a = b = c gets a tree. SANY's rules would have to be checked behind it anyway.
//   - Its tree is one of tokens. Declarations, bounds and selectors would still have to
//     be made from it.
//
// What it has and this package has not: reading again only what an edit changed.
package syntax
