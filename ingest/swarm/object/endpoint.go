package object

import (
	"fmt"

	"tracecheck/ingest/swarm/wire"
)

// port is a published port in a line.
type port struct {
	Mode      string `json:"mode"`
	Name      string `json:"name"`
	Protocol  string `json:"protocol"`
	Published uint32 `json:"published_port"`
}

// ports returns ports with unique names: unnamed ones get their target port.
func ports(list []*wire.PortConfig) []port {
	all := make([]port, len(list))
	for i, p := range list {
		all[i] = port{
			Mode:      word(p.PublishMode),
			Name:      fmt.Sprintf("%s/%d", p.Name, p.TargetPort),
			Protocol:  word(p.Protocol),
			Published: p.PublishedPort,
		}
	}
	return all
}

// Endpoint is the endpoint that the allocator has given the service, nil if it
// has no ports.
func Endpoint(s *wire.Service) Fields {
	e := s.Endpoint
	if e == nil {
		return nil
	}
	var spec []*wire.PortConfig
	if e.Spec != nil {
		spec = e.Spec.Ports
	}
	if len(spec) == 0 && len(e.Ports) == 0 {
		return nil
	}
	return Fields{"spec": ports(spec), "ports": ports(e.Ports)}
}
