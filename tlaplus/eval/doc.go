// Package eval evaluates TLA+ modules. It finds the modules, resolves their names, checks
// arities and levels, and compiles their expressions to closures over slots. One compiled
// action both finds the states that follow a state, and checks a given pair of states. A
// primed variable that has a value is compared, one that has none is assigned.
//
// The order of evaluation and what is an error are TLC's.
package eval
