package kcpstorage

import "tracecheck/validators/model"

// SyncState is an element of SyncStates.
type SyncState uint8

// The states. A cluster that a map leaves out is Nil.
const (
	Nil SyncState = iota
	Empty
	Sync
	badState // outside the type
)

// states are the states by the text's names.
var states = model.Values{Nil: "nil", Empty: "Empty", Sync: "Sync", badState: "?"}

const syncStates = `SyncStates ("nil", "Empty", "Sync")`

func (s SyncState) String() string { return states[s] }

// mapping is [CLUSTERS -> SyncStates].
type mapping = model.Dict[SyncState]

// nilEverywhere is the mapping that all begin with.
var nilEverywhere mapping
