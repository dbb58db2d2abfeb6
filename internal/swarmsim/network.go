package main

import (
	"fmt"
	"slices"

	"github.com/moby/swarmkit/v2/api"
	"github.com/moby/swarmkit/v2/manager/allocator/networkallocator"
)

// provider does what libnetwork's allocator does in dockerd, with addresses of nowhere.
// SwarmKit's own InertProvider never sets Endpoint.Spec, as no Docker Engine does.
type provider struct{ networkallocator.InertProvider }

func (provider) NewAllocator(*networkallocator.Config) (networkallocator.NetworkAllocator, error) {
	return &alloc{svc: map[string]bool{}, task: map[string]bool{}, net: map[string]bool{}, ingress: map[string]bool{}, att: map[string]bool{}}, nil
}
func (provider) ValidateNetworkDriver(*api.Driver) error        { return nil }
func (provider) ValidateIPAMDriver(*api.Driver) error           { return nil }
func (provider) ValidateIngressNetworkDriver(*api.Driver) error { return nil }

type alloc struct {
	svc, task, net, ingress, att map[string]bool
	ip                           uint32
}

func (a *alloc) addr() string {
	a.ip++
	return fmt.Sprintf("10.%d.%d.%d/8", a.ip>>16&255, a.ip>>8&255, a.ip&255)
}
func (a *alloc) IsAllocated(n *api.Network) bool { return a.net[n.ID] }
func (a *alloc) Allocate(n *api.Network) error {
	if a.net[n.ID] {
		return fmt.Errorf("network %s already allocated", n.ID)
	}
	a.net[n.ID], a.ingress[n.ID] = true, networkallocator.IsIngressNetwork(n)
	n.DriverState = &api.Driver{Name: "overlay"}
	n.IPAM = &api.IPAMOptions{Driver: &api.Driver{}}
	return nil
}
func (a *alloc) Deallocate(n *api.Network) error { delete(a.net, n.ID); return nil }
func nets(s *api.Service) []*api.NetworkAttachmentConfig {
	if len(s.Spec.Task.Networks) == 0 && len(s.Spec.Networks) != 0 {
		return s.Spec.Networks
	}
	return s.Spec.Task.Networks
}

// wants reports whether the service is in the network.
func wants(s *api.Service, network string) bool {
	return slices.ContainsFunc(nets(s), func(n *api.NetworkAttachmentConfig) bool { return n.Target == network })
}

// ingresses reports whether the service's address is one of the routing mesh.
func (a *alloc) ingresses(s *api.Service, vip *api.Endpoint_VirtualIP) bool {
	return a.ingress[vip.NetworkID] && networkallocator.IsIngressNetworkNeeded(s)
}

// lacks are the networks of the service in which it has none of the addresses.
func lacks(s *api.Service, vips []*api.Endpoint_VirtualIP) (lacking []string) {
	for _, n := range nets(s) {
		if !slices.ContainsFunc(vips, func(vip *api.Endpoint_VirtualIP) bool { return vip.NetworkID == n.Target }) {
			lacking = append(lacking, n.Target)
		}
	}
	return lacking
}

func roundRobin(s *api.Service) bool {
	return s.Spec.Endpoint != nil && s.Spec.Endpoint.Mode == api.ResolutionModeDNSRoundRobin
}

func (a *alloc) IsServiceAllocated(s *api.Service, _ ...func(*networkallocator.ServiceAllocationOpts)) bool {
	if len(nets(s)) != 0 && (s.Spec.Endpoint == nil || s.Spec.Endpoint.Mode == api.ResolutionModeVirtualIP) {
		if !a.svc[s.ID] || s.Endpoint == nil || len(s.Endpoint.VirtualIPs) == 0 || len(lacks(s, s.Endpoint.VirtualIPs)) > 0 {
			return false
		}
	}
	if s.Endpoint != nil {
		for _, vip := range s.Endpoint.VirtualIPs {
			if ingress := a.ingresses(s, vip); ingress && !a.svc[s.ID] || !ingress && !wants(s, vip.NetworkID) {
				return false
			}
		}
	}
	return !roundRobin(s) || !a.svc[s.ID]
}
func (a *alloc) AllocateService(s *api.Service) error {
	if s.Endpoint == nil {
		s.Endpoint = &api.Endpoint{}
	}
	s.Endpoint.Spec = s.Spec.Endpoint.Copy()
	if roundRobin(s) {
		s.Endpoint.VirtualIPs = nil
		delete(a.svc, s.ID)
		return nil
	}
	all := s.Endpoint.VirtualIPs
	kept := all[:0]
	lacking := lacks(s, all)
	for _, vip := range all {
		if a.ingresses(s, vip) || wants(s, vip.NetworkID) {
			if vip.Addr == "" {
				vip.Addr = a.addr()
			}
			kept = append(kept, vip)
		}
	}
	for _, n := range lacking {
		kept = append(kept, &api.Endpoint_VirtualIP{NetworkID: n, Addr: a.addr()})
	}
	if len(kept) > 0 {
		a.svc[s.ID] = true
	} else {
		delete(a.svc, s.ID)
	}
	s.Endpoint.VirtualIPs = kept
	return nil
}
func (a *alloc) DeallocateService(s *api.Service) error {
	if s.Endpoint == nil {
		return nil
	}
	s.Endpoint.VirtualIPs = nil
	delete(a.svc, s.ID)
	return nil
}
func (a *alloc) IsTaskAllocated(t *api.Task) bool {
	if !a.task[t.ID] || len(t.Networks) == 0 {
		return false
	}
	for _, n := range t.Networks {
		if !a.net[n.Network.ID] || len(n.Addresses) == 0 {
			return false
		}
	}
	return true
}
func (a *alloc) AllocateTask(t *api.Task) error {
	for _, n := range t.Networks {
		if len(n.Addresses) == 0 {
			n.Addresses = []string{a.addr()}
		}
	}
	a.task[t.ID] = true
	return nil
}
func (a *alloc) DeallocateTask(t *api.Task) error {
	delete(a.task, t.ID)
	for _, n := range t.Networks {
		n.Addresses = nil
	}
	return nil
}
func (a *alloc) AllocateAttachment(n *api.Node, x *api.NetworkAttachment) error {
	if len(x.Addresses) == 0 {
		x.Addresses = []string{a.addr()}
	}
	a.att[n.ID+x.Network.ID] = true
	return nil
}
func (a *alloc) DeallocateAttachment(n *api.Node, x *api.NetworkAttachment) error {
	delete(a.att, n.ID+x.Network.ID)
	x.Addresses = nil
	return nil
}
func (a *alloc) IsAttachmentAllocated(n *api.Node, x *api.NetworkAttachment) bool {
	return n != nil && x != nil && x.Network != nil && a.att[n.ID+x.Network.ID] && len(x.Addresses) != 0
}
