// Package model makes a validators.Spec of a specification that says each thing
// once: each kind of object as a table, each action forwards. docs/writing-a-spec.md
// writes one from the beginning, and examples/twophase is a whole one, in a Go module
// of its own.
//
// # Tables
//
// A [Kind] is a table of objects. Its columns say how to decode a line (a merge
// patch), and which values are outside the type. The engine compares rows by them,
// shows them in reports, and saves them in checkpoints. A row is a struct that can be
// compared with ==. Init is the row of an object that no line has shown. A spec with
// its own storage of objects can use the columns alone, as a [Schema].
//
// The state S is a struct of the spec. It has a [Rows] for each kind, and counts of
// rows. Tally keeps the counts. So the cost of a guard does not grow with the number
// of objects.
//
// # Actions
//
// An [Action] has guards, which are the conjuncts without primes, and an effect,
// which writes rows. All that the effect does not write is UNCHANGED. An action
// explains a step if its guards hold before the step, and its effect equals the
// step. The conjuncts with primes are for documentation and reports. Each names
// the columns that it is about.
//
// P is what the quantifiers of an action choose. Some tries each possible P of a step.
// If P is a row, use [Changed], and if it has one, [ChangedAs]. Guards and effects read Now
// of a [Change]: the row before the step. In a batched step, it is the row after the
// actions tried so far.
//
// # Batched steps
//
// A batched step is the sum of several actions, without the states between them.
// The engine searches for a sequence of actions. By default it tries all orders.
// Config.Budget limits the number of actions that it tries. Beyond this limit, the
// input cannot be judged. Search of the [Model] replaces the search.
// [Walk.SearchAmong] is the search among the actions that a spec lists.
//
// # Parts and references
//
// A stream may hold many instances of a module, such as namespaces. Identity.Part
// divides the objects of a step by instance, and Model.Enter selects one. The engine
// then matches, searches and reports each part as if it were the step. Objects may
// refer to others. Find reads the reference in a line, and composes an id if the id
// of the line is not unique. A referred object exists (Referred, Rows.Refer), even if
// no line has shown it. A step about an object may also be about the object that it
// belongs to (Rows.Touch).
//
// # Rules and obligations
//
// A [Rule] is judged for each object that a step has changed. A [StepRule] is judged
// for each step that one action explains. A [Refusal] is judged for lines that
// record a refused request. Kind.Waits and Model.Stream declare obligations of
// objects and of the stream. Open obligations put temporal properties at risk. A
// [Gate] is a condition that many obligations share.
//
// # Objects that come and go
//
// In a kind without NoDelete, actions create and delete the objects. An effect calls
// Change.Create or Change.Delete, and a guard calls Exists. An update or a delete of
// a missing object is a violation. So is a create of an existing one. If the lines of
// a batched step delete an object and then create it, the actions must do both.
//
// # Claims and profiles
//
// A line may name the action that made it. In a module with Actors, it may also name
// the component. One action that explains the step must meet the claims of all lines.
// A [Profile] adds actions to those of the text. They are tried after the others, and
// a result counts the steps that needed one.
//
// A spec is a value. Each machine of it judges one stream, and machines share
// nothing.
package model
