// Package model makes a validators.Spec of a specification that says each thing
// once: each kind of object as a table, each action forwards. docs/writing-a-spec.md
// writes one from the beginning, and examples/twophase is a whole one, in a Go module
// of its own.
//
// # Tables
//
// A Kind is a table of objects. Its columns give how a line is decoded (a merge patch), and
// what is outside its type. They also give which rows a step changes, what a report shows and
// what a checkpoint holds. Rows are structs that can be compared with ==. Init is the row of
// an object that no line has shown yet. A spec that keeps its objects by itself may have their
// columns alone, as a Schema.
//
// The state S is a struct of the spec. It has a Rows for each kind, and what the spec counts
// over them. Tally keeps such counts, so that the cost of a guard does not grow with the
// number of objects.
//
// # Actions
//
// An Action has guards, which are the conjuncts without primes, and an effect, which writes
// rows. What the effect does not write is UNCHANGED. An action explains a step if its guards
// hold in the state before, and its effect is the step's. The conjuncts with primes are there
// for documentation and reports: each names the columns that it is about.
//
// P is what the action's quantifiers choose. Some tries each P that the step may be
// for; where P is a row, Changed does so. Guards and effects read Now of a Change:
// the row before the step or, in a batched step, after the actions that were tried so
// far.
//
// # Batched steps
//
// A batched step is several actions of which nothing was recorded in between. A search
// looks for a sequence of them. By default it tries all orders, and counts each action
// that it tries against Config.Budget: beyond it the input cannot be judged. Search may
// replace it.
//
// # Parts and references
//
// A stream may hold many instances of what a module models one of, such as namespaces.
// Identity.Part tells which part of a step an object is of, and Model.Enter has the
// state look at one. Each part is matched, searched and reported as if it were the
// step. Objects may refer to others: Find reads what a line's object belongs to, and
// composes an id where the line's is not unique. What others refer to is there
// (Referred, Rows.Refer), though no line shows it. A step about an object is about what
// it belongs to as well (Rows.Touch).
//
// # Rules and obligations
//
// A Rule is judged of each object that a step has changed. A StepRule is judged of each step
// that one action explains. A Refusal is judged of lines that record what the system refused
// to do. What an object waits for (Kind.Waits), and what the stream waits for (Model.Stream),
// are obligations. By them, the temporal properties are at risk. Gates are conditions that the
// obligations of many objects share.
//
// # Objects that come and go
//
// A Kind without NoDelete has objects only as long as actions have them. An effect creates one
// (Change.Create) or deletes it (Change.Delete), and guards ask Exists. An update or a delete
// of what does not exist is a violation. So is a create of what does. Where the lines of a
// batched step delete an object and then create it, actions have to do both.
//
// # Claims and profiles
//
// An event may name the action that made it and, in a module with Actors, the
// component. Some action that explains the step has to be what each line of it names.
// A Profile adds actions that the text does not have. They are tried after its own,
// and machines count how often they need one.
//
// A spec is a value: a machine of it judges one stream, and machines share nothing.
package model
