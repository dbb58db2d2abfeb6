package object

import "github.com/moby/swarmkit/v2/api"

// Service is a service without its endpoint.
func Service(s *api.Service) Fields {
	f := Fields{
		"name":   s.Spec.Annotations.Name,
		"image":  image(&s.Spec.Task),
		"remove": s.PendingDelete,
	}
	mode(f, &s.Spec)
	policies(f, &s.Spec)
	if p := s.Spec.Task.Placement; p != nil && len(p.Constraints) > 0 {
		f["constraints"] = p.Constraints
	}
	if e := s.Spec.Endpoint; e != nil && len(e.Ports) > 0 {
		f["spec_ports"] = ports(e.Ports)
	}
	if s.SpecVersion != nil {
		f["spec_version"] = s.SpecVersion.Index
	}
	if s.JobStatus != nil {
		f["job_iteration"] = s.JobStatus.JobIteration.Index
	}
	if u := s.UpdateStatus; u != nil {
		f["update_state"] = word(u.State)
		f.text("update_message", u.Message)
	}
	return f
}

func mode(f Fields, s *api.ServiceSpec) {
	switch m := s.Mode.(type) {
	case *api.ServiceSpec_Replicated:
		f["mode"], f["replicas"] = "replicated", m.Replicated.Replicas
	case *api.ServiceSpec_Global:
		f["mode"], f["replicas"] = "global", global
	case *api.ServiceSpec_ReplicatedJob:
		f["mode"], f["replicas"] = "replicated-job", m.ReplicatedJob.TotalCompletions
		if n := m.ReplicatedJob.MaxConcurrent; n > 0 {
			f["max_concurrent"] = n
		}
	case *api.ServiceSpec_GlobalJob:
		f["mode"], f["replicas"] = "global-job", global
	}
}

func policies(f Fields, s *api.ServiceSpec) {
	if r := s.Task.Restart; r != nil {
		f["restart_condition"] = word(r.Condition)
		if r.MaxAttempts > 0 {
			f["max_attempts"] = r.MaxAttempts
		}
	}
	if s.Update != nil {
		f["update_order"] = word(s.Update.Order)
	}
	if s.Rollback != nil {
		f["rollback_order"] = word(s.Rollback.Order)
	}
}
