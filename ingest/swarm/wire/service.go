package wire

import "google.golang.org/protobuf/encoding/protowire"

// Service is a service of the swarm.
type Service struct {
	ID            string
	Meta          Meta
	Spec          ServiceSpec
	SpecVersion   *Version
	Endpoint      *Endpoint
	UpdateStatus  *UpdateStatus
	PendingDelete bool
	JobStatus     *JobStatus
}

func (o *Service) GetID() string { return o.ID }
func (o *Service) GetMeta() Meta { return o.Meta }

func (o *Service) field(n protowire.Number, f field) error {
	switch n {
	case 1:
		return text(f, &o.ID)
	case 2:
		return inner(f, &o.Meta)
	case 3:
		return inner(f, &o.Spec)
	case 4:
		return optional(f, &o.Endpoint)
	case 5:
		return optional(f, &o.UpdateStatus)
	case 7:
		return truth(f, &o.PendingDelete)
	case 10:
		return optional(f, &o.SpecVersion)
	case 12:
		return optional(f, &o.JobStatus)
	}
	return nil
}

// ServiceSpec is what a user wants of a service. At most one of its modes is not nil.
type ServiceSpec struct {
	Annotations      Annotations
	Task             TaskSpec
	Update, Rollback *UpdateConfig
	Endpoint         *EndpointSpec

	Replicated    *ReplicatedService
	Global        *Empty
	ReplicatedJob *ReplicatedJob
	GlobalJob     *Empty
}

func (s *ServiceSpec) field(n protowire.Number, f field) error {
	switch n {
	case 3, 4, 10, 11: // a union: the last one counts
		s.Replicated, s.Global, s.ReplicatedJob, s.GlobalJob = nil, nil, nil, nil
	}
	switch n {
	case 1:
		return inner(f, &s.Annotations)
	case 2:
		return inner(f, &s.Task)
	case 3:
		return optional(f, &s.Replicated)
	case 4:
		return optional(f, &s.Global)
	case 6:
		return optional(f, &s.Update)
	case 8:
		return optional(f, &s.Endpoint)
	case 9:
		return optional(f, &s.Rollback)
	case 10:
		return optional(f, &s.ReplicatedJob)
	case 11:
		return optional(f, &s.GlobalJob)
	}
	return nil
}

// Empty is a message without a field that is read.
type Empty struct{}

func (*Empty) field(protowire.Number, field) error { return nil }

// ReplicatedService has so many tasks.
type ReplicatedService struct{ Replicas uint64 }

func (s *ReplicatedService) field(n protowire.Number, f field) error {
	if n == 1 {
		return number(f, &s.Replicas)
	}
	return nil
}

// ReplicatedJob has tasks that end.
type ReplicatedJob struct{ MaxConcurrent, TotalCompletions uint64 }

func (j *ReplicatedJob) field(n protowire.Number, f field) error {
	switch n {
	case 1:
		return number(f, &j.MaxConcurrent)
	case 2:
		return number(f, &j.TotalCompletions)
	}
	return nil
}

// JobStatus says how often a job was begun.
type JobStatus struct{ JobIteration Version }

func (s *JobStatus) field(n protowire.Number, f field) error {
	if n == 1 {
		return inner(f, &s.JobIteration)
	}
	return nil
}

// TaskSpec is what a user wants of a service's tasks. Container is nil if they run
// something else.
type TaskSpec struct {
	Container *ContainerSpec
	Restart   *RestartPolicy
	Placement *Placement
}

func (s *TaskSpec) field(n protowire.Number, f field) error {
	switch n {
	case 1, 8, 10: // a union: the last one counts
		s.Container = nil
	}
	switch n {
	case 1:
		return optional(f, &s.Container)
	case 4:
		return optional(f, &s.Restart)
	case 5:
		return optional(f, &s.Placement)
	}
	return nil
}

// ContainerSpec names the image, and nothing of what runs in it.
type ContainerSpec struct{ Image string }

func (s *ContainerSpec) field(n protowire.Number, f field) error {
	if n == 1 {
		return text(f, &s.Image)
	}
	return nil
}

// RestartPolicy says when a task is replaced.
type RestartPolicy struct {
	Condition   RestartCondition
	MaxAttempts uint64
}

func (p *RestartPolicy) field(n protowire.Number, f field) error {
	switch n {
	case 1:
		return number(f, &p.Condition)
	case 3:
		return number(f, &p.MaxAttempts)
	}
	return nil
}

// Placement says on which nodes a task may run.
type Placement struct{ Constraints []string }

func (p *Placement) field(n protowire.Number, f field) error {
	if n != 1 {
		return nil
	}
	p.Constraints = append(p.Constraints, "")
	return text(f, &p.Constraints[len(p.Constraints)-1])
}

// UpdateConfig is the order of an update.
type UpdateConfig struct{ Order UpdateOrder }

func (c *UpdateConfig) field(n protowire.Number, f field) error {
	if n == 6 {
		return number(f, &c.Order)
	}
	return nil
}

// UpdateStatus is how far an update has come.
type UpdateStatus struct {
	State   UpdateState
	Message string
}

func (s *UpdateStatus) field(n protowire.Number, f field) error {
	switch n {
	case 1:
		return number(f, &s.State)
	case 4:
		return text(f, &s.Message)
	}
	return nil
}

// Endpoint has the ports that the allocator has given, and those that it was asked for.
type Endpoint struct {
	Spec  *EndpointSpec
	Ports []*PortConfig
}

func (e *Endpoint) field(n protowire.Number, f field) error {
	switch n {
	case 1:
		return optional(f, &e.Spec)
	case 2:
		return repeated(f, &e.Ports)
	}
	return nil
}

// EndpointSpec has the ports that a user wants.
type EndpointSpec struct{ Ports []*PortConfig }

func (s *EndpointSpec) field(n protowire.Number, f field) error {
	if n == 2 {
		return repeated(f, &s.Ports)
	}
	return nil
}

// PortConfig is a published port.
type PortConfig struct {
	Name                      string
	Protocol                  Protocol
	TargetPort, PublishedPort uint32
	PublishMode               PublishMode
}

func (p *PortConfig) field(n protowire.Number, f field) error {
	switch n {
	case 1:
		return text(f, &p.Name)
	case 2:
		return number(f, &p.Protocol)
	case 3:
		return number(f, &p.TargetPort)
	case 4:
		return number(f, &p.PublishedPort)
	case 5:
		return number(f, &p.PublishMode)
	}
	return nil
}
