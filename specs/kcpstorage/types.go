package kcpstorage

// SyncState is an element of SyncStates.
type SyncState uint8

// The states, by the text's names. A cluster that a map leaves out is Nil.
const (
	Nil SyncState = iota
	Empty
	Sync
	badState // outside the type
)

var stateNames = [...]string{Nil: "nil", Empty: "Empty", Sync: "Sync", badState: "?"}

func (s SyncState) String() string { return stateNames[s] }

// parseState returns the state of that name, badState where there is none.
func parseState(name string) SyncState {
	switch name {
	case "nil":
		return Nil
	case "Empty":
		return Empty
	case "Sync":
		return Sync
	}
	return badState
}
