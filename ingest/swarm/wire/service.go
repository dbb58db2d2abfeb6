package wire

// Service is a service of the swarm.
type Service struct {
	ID            string        `wire:"1"`
	Meta          Meta          `wire:"2"`
	Spec          ServiceSpec   `wire:"3"`
	SpecVersion   *Version      `wire:"10"`
	Endpoint      *Endpoint     `wire:"4"`
	UpdateStatus  *UpdateStatus `wire:"5"`
	PendingDelete bool          `wire:"7"`
	JobStatus     *JobStatus    `wire:"12"`
}

func (o *Service) GetID() string { return o.ID }
func (o *Service) GetMeta() Meta { return o.Meta }

// ServiceSpec is what a user wants of a service. At most one of its modes is not nil.
type ServiceSpec struct {
	Annotations Annotations   `wire:"1"`
	Task        TaskSpec      `wire:"2"`
	Update      *UpdateConfig `wire:"6"`
	Rollback    *UpdateConfig `wire:"9"`
	Endpoint    *EndpointSpec `wire:"8"`

	Replicated    *ReplicatedService `wire:"3" union:"3,4,10,11"`
	Global        *Empty             `wire:"4" union:"3,4,10,11"`
	ReplicatedJob *ReplicatedJob     `wire:"10" union:"3,4,10,11"`
	GlobalJob     *Empty             `wire:"11" union:"3,4,10,11"`
}

// Empty is a message without a field that is read.
type Empty struct{}

// ReplicatedService has so many tasks.
type ReplicatedService struct {
	Replicas uint64 `wire:"1"`
}

// ReplicatedJob has tasks that end.
type ReplicatedJob struct {
	MaxConcurrent    uint64 `wire:"1"`
	TotalCompletions uint64 `wire:"2"`
}

// JobStatus is the number of times that a job was started.
type JobStatus struct {
	JobIteration Version `wire:"1"`
}

// TaskSpec is what a user wants of a service's tasks. Container is nil if they run
// something else.
type TaskSpec struct {
	Container *ContainerSpec `wire:"1" union:"1,8,10"`
	Restart   *RestartPolicy `wire:"4"`
	Placement *Placement     `wire:"5"`
}

// ContainerSpec names the image, and nothing of what runs in it.
type ContainerSpec struct {
	Image string `wire:"1"`
}

// RestartPolicy sets when a task is replaced.
type RestartPolicy struct {
	Condition   RestartCondition `wire:"1"`
	MaxAttempts uint64           `wire:"3"`
}

// Placement sets on which nodes a task may run.
type Placement struct {
	Constraints []string `wire:"1"`
}

// UpdateConfig is the order of an update.
type UpdateConfig struct {
	Order UpdateOrder `wire:"6"`
}

// UpdateStatus is how far an update has come.
type UpdateStatus struct {
	State   UpdateState `wire:"1"`
	Message string      `wire:"4"`
}

// Endpoint has the ports that the allocator has given, and those that were requested.
type Endpoint struct {
	Spec  *EndpointSpec `wire:"1"`
	Ports []*PortConfig `wire:"2"`
}

// EndpointSpec has the ports that a user requests.
type EndpointSpec struct {
	Ports []*PortConfig `wire:"2"`
}

// PortConfig is a published port.
type PortConfig struct {
	Name          string      `wire:"1"`
	Protocol      Protocol    `wire:"2"`
	TargetPort    uint32      `wire:"3"`
	PublishedPort uint32      `wire:"4"`
	PublishMode   PublishMode `wire:"5"`
}
