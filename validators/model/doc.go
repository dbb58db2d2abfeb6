// Package model makes a validators.Spec of a specification that says each thing
// once: each kind of object as a table, each action forwards.
//
// A Kind is a table of objects. Its columns give how a line is decoded (a merge
// patch), what is outside its type, which rows a step changes, what a report
// shows and what a checkpoint holds.
//
// An Action has guards, which are the conjuncts without primes, and an effect,
// which writes rows. What the effect does not write is UNCHANGED. An action
// explains a step if its guards hold in the state before, and its effect is what
// the step shows. The conjuncts with primes are there for documentation and
// reports: each names the columns that it is about.
//
// The state S is a struct of the spec with a Rows for each kind, and with what
// the spec counts over them. A spec is a value: a machine of it judges one
// stream, and machines share nothing.
package model
