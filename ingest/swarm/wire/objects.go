// Package wire decodes what a swarm's manager sends: of the objects of moby/swarmkit's
// API, the fields that a trace has. It reads nothing else: not the environment, the
// arguments, the tokens and the keys. The types and fields have the names of that API.
package wire

import (
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// Object is a node, a service, a task or a cluster.
type Object interface {
	message
	GetID() string
	GetMeta() Meta
}

// Version is a version of an object, or of the store.
type Version struct{ Index uint64 }

func (v *Version) field(n protowire.Number, f field) error {
	if n == 1 {
		return number(f, &v.Index)
	}
	return nil
}

// Meta has the version of an object, and when it last changed.
type Meta struct {
	Version   Version
	UpdatedAt *Timestamp
}

func (m *Meta) field(n protowire.Number, f field) error {
	switch n {
	case 1:
		return inner(f, &m.Version)
	case 3:
		return optional(f, &m.UpdatedAt)
	}
	return nil
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
	Seconds int64
	Nanos   int32
}

func (t *Timestamp) field(n protowire.Number, f field) error {
	switch n {
	case 1:
		return number(f, &t.Seconds)
	case 2:
		return number(f, &t.Nanos)
	}
	return nil
}

// Annotations are an object's name and labels.
type Annotations struct {
	Name   string
	Labels map[string]string
}

func (a *Annotations) field(n protowire.Number, f field) error {
	switch n {
	case 1:
		return text(f, &a.Name)
	case 2:
		var e entry
		if err := inner(f, &e); err != nil {
			return err
		}
		if a.Labels == nil {
			a.Labels = map[string]string{}
		}
		a.Labels[e.key] = e.value
	}
	return nil
}

// Node is a machine of the swarm.
type Node struct {
	ID     string
	Meta   Meta
	Spec   NodeSpec
	Status NodeStatus
	Role   NodeRole
}

func (o *Node) GetID() string { return o.ID }
func (o *Node) GetMeta() Meta { return o.Meta }

func (o *Node) field(n protowire.Number, f field) error {
	switch n {
	case 1:
		return text(f, &o.ID)
	case 2:
		return inner(f, &o.Meta)
	case 3:
		return inner(f, &o.Spec)
	case 5:
		return inner(f, &o.Status)
	case 9:
		return number(f, &o.Role)
	}
	return nil
}

// NodeSpec is what a user wants of a node.
type NodeSpec struct {
	Annotations  Annotations
	Availability NodeAvailability
}

func (s *NodeSpec) field(n protowire.Number, f field) error {
	switch n {
	case 1:
		return inner(f, &s.Annotations)
	case 4:
		return number(f, &s.Availability)
	}
	return nil
}

// NodeStatus is what the managers know of a node.
type NodeStatus struct {
	State   NodeState
	Message string
}

func (s *NodeStatus) field(n protowire.Number, f field) error {
	switch n {
	case 1:
		return number(f, &s.State)
	case 2:
		return text(f, &s.Message)
	}
	return nil
}

// Task is one run of a service's container.
type Task struct {
	ID           string
	Meta         Meta
	Spec         TaskSpec
	SpecVersion  *Version
	ServiceID    string
	Slot         uint64
	NodeID       string
	Status       TaskStatus
	DesiredState TaskState
	JobIteration *Version
}

func (o *Task) GetID() string { return o.ID }
func (o *Task) GetMeta() Meta { return o.Meta }

func (o *Task) field(n protowire.Number, f field) error {
	switch n {
	case 1:
		return text(f, &o.ID)
	case 2:
		return inner(f, &o.Meta)
	case 3:
		return inner(f, &o.Spec)
	case 4:
		return text(f, &o.ServiceID)
	case 5:
		return number(f, &o.Slot)
	case 6:
		return text(f, &o.NodeID)
	case 9:
		return inner(f, &o.Status)
	case 10:
		return number(f, &o.DesiredState)
	case 14:
		return optional(f, &o.SpecVersion)
	case 16:
		return optional(f, &o.JobIteration)
	}
	return nil
}

// TaskStatus is how far a task has come.
type TaskStatus struct {
	State   TaskState
	Message string
	Err     string
}

func (s *TaskStatus) field(n protowire.Number, f field) error {
	switch n {
	case 2:
		return number(f, &s.State)
	case 3:
		return text(f, &s.Message)
	case 4:
		return text(f, &s.Err)
	}
	return nil
}

// Cluster has the settings of the swarm.
type Cluster struct {
	ID   string
	Meta Meta
	Spec ClusterSpec
}

func (o *Cluster) GetID() string { return o.ID }
func (o *Cluster) GetMeta() Meta { return o.Meta }

func (o *Cluster) field(n protowire.Number, f field) error {
	switch n {
	case 1:
		return text(f, &o.ID)
	case 2:
		return inner(f, &o.Meta)
	case 3:
		return inner(f, &o.Spec)
	}
	return nil
}

// ClusterSpec has the settings that a user makes.
type ClusterSpec struct{ Orchestration OrchestrationConfig }

func (s *ClusterSpec) field(n protowire.Number, f field) error {
	if n == 3 {
		return inner(f, &s.Orchestration)
	}
	return nil
}

// OrchestrationConfig says how many ended tasks a slot keeps.
type OrchestrationConfig struct{ TaskHistoryRetentionLimit int64 }

func (c *OrchestrationConfig) field(n protowire.Number, f field) error {
	if n == 1 {
		return number(f, &c.TaskHistoryRetentionLimit)
	}
	return nil
}
