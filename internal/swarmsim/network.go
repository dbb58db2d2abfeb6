package main

import (
	"fmt"

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
func (a *alloc) IsServiceAllocated(s *api.Service, _ ...func(*networkallocator.ServiceAllocationOpts)) bool {
	if len(nets(s)) != 0 && (s.Spec.Endpoint == nil || s.Spec.Endpoint.Mode == api.ResolutionModeVirtualIP) {
		if !a.svc[s.ID] || s.Endpoint == nil || len(s.Endpoint.VirtualIPs) == 0 {
			return false
		}
	netLoop:
		for _, n := range nets(s) {
			for _, vip := range s.Endpoint.VirtualIPs {
				if vip.NetworkID == n.Target {
					continue netLoop
				}
			}
			return false
		}
	}
	if s.Endpoint != nil {
	vipLoop:
		for _, vip := range s.Endpoint.VirtualIPs {
			if a.ingress[vip.NetworkID] && networkallocator.IsIngressNetworkNeeded(s) {
				if !a.svc[s.ID] {
					return false
				}
				continue vipLoop
			}
			for _, n := range nets(s) {
				if vip.NetworkID == n.Target {
					continue vipLoop
				}
			}
			return false
		}
	}
	if s.Spec.Endpoint != nil && s.Spec.Endpoint.Mode == api.ResolutionModeDNSRoundRobin && a.svc[s.ID] {
		return false
	}
	return true
}
func (a *alloc) AllocateService(s *api.Service) error {
	if s.Endpoint == nil {
		s.Endpoint = &api.Endpoint{}
	}
	s.Endpoint.Spec = s.Spec.Endpoint.Copy()
	if s.Spec.Endpoint != nil && s.Spec.Endpoint.Mode == api.ResolutionModeDNSRoundRobin {
		s.Endpoint.VirtualIPs = nil
		delete(a.svc, s.ID)
		return nil
	}
	e := s.Endpoint.VirtualIPs[:0]
vipLoop:
	for _, vip := range s.Endpoint.VirtualIPs {
		ok := a.ingress[vip.NetworkID] && networkallocator.IsIngressNetworkNeeded(s)
		for _, n := range nets(s) {
			ok = ok || n.Target == vip.NetworkID
		}
		if ok {
			if vip.Addr == "" {
				vip.Addr = a.addr()
			}
			e = append(e, vip)
			continue vipLoop
		}
	}
netLoop:
	for _, n := range nets(s) {
		for _, vip := range s.Endpoint.VirtualIPs {
			if vip.NetworkID == n.Target {
				continue netLoop
			}
		}
		e = append(e, &api.Endpoint_VirtualIP{NetworkID: n.Target, Addr: a.addr()})
	}
	if len(e) > 0 {
		a.svc[s.ID] = true
	} else {
		delete(a.svc, s.ID)
	}
	s.Endpoint.VirtualIPs = e
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
