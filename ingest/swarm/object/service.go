package object

import "tracecheck/ingest/swarm/wire"

// Service is a service without its endpoint.
func Service(s *wire.Service) Fields {
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

func mode(f Fields, s *wire.ServiceSpec) {
	switch {
	case s.Replicated != nil:
		f["mode"], f["replicas"] = "replicated", s.Replicated.Replicas
	case s.Global != nil:
		f["mode"], f["replicas"] = "global", global
	case s.ReplicatedJob != nil:
		f["mode"], f["replicas"] = "replicated-job", s.ReplicatedJob.TotalCompletions
		if n := s.ReplicatedJob.MaxConcurrent; n > 0 {
			f["max_concurrent"] = n
		}
	case s.GlobalJob != nil:
		f["mode"], f["replicas"] = "global-job", global
	}
}

func policies(f Fields, s *wire.ServiceSpec) {
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
