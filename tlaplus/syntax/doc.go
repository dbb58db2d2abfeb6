// Package syntax reads the text of TLA+ modules: it makes their syntax trees,
// and reports what is wrong with a text by file, line and column. It knows
// nothing of what names mean.
//
// Proofs and PlusCal algorithms are skipped. The grammar is that of "Specifying
// Systems", part IV, with the changes of TLA+2, as SANY reads it.
package syntax
