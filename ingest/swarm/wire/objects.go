// Package wire decodes what a swarm's manager sends: of the objects of moby/swarmkit's
// API, the fields that a trace has. It reads nothing else: not the environment, the
// arguments, the tokens and the keys. The types and fields have the names of that API;
// a tag has the field's number and, of a union, those of all its members.
package wire

import "time"

// Object is a node, a service, a task or a cluster.
type Object interface {
	GetID() string
	GetMeta() Meta
}

// Version is a version of an object, or of the store.
type Version struct {
	Index uint64 `wire:"1"`
}

// Meta has the version of an object, and when it last changed.
type Meta struct {
	Version   Version    `wire:"1"`
	UpdatedAt *Timestamp `wire:"3"`
}

// Time is when the object last changed, zero if that is unknown.
func (m Meta) Time() time.Time {
	if m.UpdatedAt == nil {
		return time.Time{}
	}
	return time.Unix(m.UpdatedAt.Seconds, int64(m.UpdatedAt.Nanos))
}

// Timestamp is a time since 1970, in UTC.
type Timestamp struct {
	Seconds int64 `wire:"1"`
	Nanos   int32 `wire:"2"`
}

// Annotations are an object's name and labels.
type Annotations struct {
	Name   string            `wire:"1"`
	Labels map[string]string `wire:"2"`
}

// Node is a machine of the swarm.
type Node struct {
	ID     string     `wire:"1"`
	Meta   Meta       `wire:"2"`
	Spec   NodeSpec   `wire:"3"`
	Status NodeStatus `wire:"5"`
	Role   NodeRole   `wire:"9"`
}

func (o *Node) GetID() string { return o.ID }
func (o *Node) GetMeta() Meta { return o.Meta }

// NodeSpec is what a user wants of a node.
type NodeSpec struct {
	Annotations  Annotations      `wire:"1"`
	Availability NodeAvailability `wire:"4"`
}

// NodeStatus is what the managers know of a node.
type NodeStatus struct {
	State   NodeState `wire:"1"`
	Message string    `wire:"2"`
}

// Task is one run of a service's container.
type Task struct {
	ID           string     `wire:"1"`
	Meta         Meta       `wire:"2"`
	Spec         TaskSpec   `wire:"3"`
	SpecVersion  *Version   `wire:"14"`
	ServiceID    string     `wire:"4"`
	Slot         uint64     `wire:"5"`
	NodeID       string     `wire:"6"`
	Status       TaskStatus `wire:"9"`
	DesiredState TaskState  `wire:"10"`
	JobIteration *Version   `wire:"16"`
}

func (o *Task) GetID() string { return o.ID }
func (o *Task) GetMeta() Meta { return o.Meta }

// TaskStatus is how far a task has come.
type TaskStatus struct {
	State   TaskState `wire:"2"`
	Message string    `wire:"3"`
	Err     string    `wire:"4"`
}

// Cluster has the settings of the swarm.
type Cluster struct {
	ID   string      `wire:"1"`
	Meta Meta        `wire:"2"`
	Spec ClusterSpec `wire:"3"`
}

func (o *Cluster) GetID() string { return o.ID }
func (o *Cluster) GetMeta() Meta { return o.Meta }

// ClusterSpec has the settings that a user makes.
type ClusterSpec struct {
	Orchestration OrchestrationConfig `wire:"3"`
}

// OrchestrationConfig sets how many ended tasks a slot keeps.
type OrchestrationConfig struct {
	TaskHistoryRetentionLimit int64 `wire:"1"`
}
