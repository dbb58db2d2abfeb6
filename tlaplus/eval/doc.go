// Package eval evaluates TLA+ modules. It finds the modules, resolves their names, checks
// arities and levels, and compiles their expressions to closures over slots. One compiled action serves both to find the states that
// follow a state and to check a given pair of states: a primed variable that has
// a value is compared, one that has none is assigned.
//
// The order of evaluation and what is an error are TLC's.
package eval
