package wire

import (
	"google.golang.org/protobuf/encoding/protowire"
)

// The methods of a manager that a recording calls.
const (
	ListClusters = "/docker.swarmkit.v1.Control/ListClusters"
	ListNodes    = "/docker.swarmkit.v1.Control/ListNodes"
	ListServices = "/docker.swarmkit.v1.Control/ListServices"
	ListTasks    = "/docker.swarmkit.v1.Control/ListTasks"
	Watch        = "/docker.swarmkit.v1.Watch/Watch"
)

// Request is an encoded request. nil asks for all objects.
type Request []byte

// WatchRequest asks for every change of these kinds of objects: those after a version,
// or, if that is 0, those from now on.
func WatchRequest(kinds []string, since uint64) Request {
	const all = uint64(Create | Update | Remove)
	var r Request
	for _, kind := range kinds {
		entry := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), kind)
		entry = protowire.AppendVarint(protowire.AppendTag(entry, 2, protowire.VarintType), all)
		r = protowire.AppendBytes(protowire.AppendTag(r, 1, protowire.BytesType), entry)
	}
	if since > 0 {
		version := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), since)
		r = protowire.AppendBytes(protowire.AppendTag(r, 2, protowire.BytesType), version)
	}
	return r
}

// List is the reply of a method that lists objects.
type List[M any] struct {
	Objects []*M `wire:"1"`
}

// Action is what happened to an object.
type Action int32

// The actions, which are bits of a request.
const (
	Create Action = 1
	Update Action = 2
	Remove Action = 4
)

// Message has the changes of one commit. Version is nil unless the manager is the leader,
// or the message is of the past.
type Message struct {
	Events  []*Event `wire:"1"`
	Version *Version `wire:"2"`
}

// Event is the change of one object, which is nil if it is of another kind. A removed
// object is as it was before.
type Event struct {
	Action Action `wire:"1"`
	Object Object `wire:"2"`
}

// lastKind is the last member of the union of an event's objects.
const lastKind = 10

// objectOf returns the object of an event with this member of the union.
func objectOf(n protowire.Number) Object {
	switch n {
	case 1:
		return &Node{}
	case 2:
		return &Service{}
	case 4:
		return &Task{}
	case 5:
		return &Cluster{}
	}
	return nil // another kind
}
