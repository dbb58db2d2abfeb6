// Package bind judges any log by any TLA+ module. A bind file names the module and
// defines what a line of the log means: the action that was taken, and what is known of
// the state after it. There is no trace spec.
//
// A stream of the log is a behaviour. Its machine keeps the frontier: the states in
// which the stream can be, by the lines so far. A line leads from these to the states
// that a step makes of which the line is true. Where there is none, the line is a
// violation. What is kept grows with the frontier, not with the log.
package bind
