package main

import (
	"fmt"
	"time"

	"github.com/moby/swarmkit/v2/api"
)

// useVolumes runs a service on a group of two volumes. One volume is drained: its tasks
// go to the other. Then the service is removed, and the volumes with it.
func (s *sim) useVolumes() {
	var ids [2]string
	for i, name := range []string{"data1", "data2"} {
		r, err := call(s.c().CreateVolume, &api.CreateVolumeRequest{Spec: &api.VolumeSpec{
			Annotations: api.Annotations{Name: name}, Group: "data", Driver: &api.Driver{Name: volumeDriver},
			AccessMode: &api.VolumeAccessMode{
				Scope: api.VolumeScopeMultiNode, Sharing: api.VolumeSharingAll,
				AccessType: &api.VolumeAccessMode_Mount{Mount: &api.VolumeAccessMode_MountVolume{}},
			},
		}})
		must(err)
		ids[i] = r.Volume.ID
		s.expect("volume made by the plugin", func() bool {
			v := s.volume(ids[i])
			return v != nil && v.VolumeInfo != nil
		})
	}
	web := s.service("voluminous", func(sp *api.ServiceSpec) {
		sp.Task.GetContainer().Mounts = []api.Mount{{Type: api.MountTypeCluster, Source: "group:data", Target: "/data"}}
	})
	on := func(id string) func(*api.Task) bool {
		return func(t *api.Task) bool { return len(t.Volumes) == 1 && t.Volumes[0].ID == id }
	}
	s.expect("tasks with a volume", func() bool {
		return s.all(web, func(t *api.Task) bool { return len(t.Volumes) == 1 })
	})
	used := ids[0]
	for _, t := range s.tasksOf(web) {
		if t.Status.State == api.TaskStateRunning {
			used = t.Volumes[0].ID
		}
	}
	other := ids[0]
	if used == other {
		other = ids[1]
	}
	s.expect("volume published on nodes", func() bool {
		v := s.volume(used)
		return v != nil && len(v.PublishStatus) > 0 && v.PublishStatus[0].State == api.VolumePublishStatus_PUBLISHED
	})
	s.setVolume(used, api.VolumeAvailabilityDrain)
	s.expect("tasks off the drained volume", func() bool {
		// The scheduler does not learn that the volume is drained, and may pick it again.
		// Whatever changes makes it try once more.
		s.setVolume(other, api.VolumeAvailabilityActive)
		want, run := s.wanted(web)
		return want == run && s.all(web, on(other))
	})
	s.mustSettle()
	s.setVolume(used, api.VolumeAvailabilityActive)
	s.edit(web, "image", func(sp *api.ServiceSpec) { sp.Task.GetContainer().Image = "sim:two" })
	s.mustSettle()
	s.again("remove", func() error {
		_, err := call(s.c().RemoveService, &api.RemoveServiceRequest{ServiceID: web})
		return err
	})
	s.expect("tasks gone", func() bool { return len(s.tasksOf(web)) == 0 })
	time.Sleep(time.Second)
}

// volume is nil if it cannot be read.
func (s *sim) volume(id string) *api.Volume {
	r, err := call(s.c().GetVolume, &api.GetVolumeRequest{VolumeID: id})
	if err != nil {
		s.count("get volume", err)
		return nil
	}
	return r.Volume
}

func (s *sim) setVolume(id string, a api.VolumeSpec_VolumeAvailability) {
	s.again("volume "+a.String(), func() error {
		r, err := call(s.c().GetVolume, &api.GetVolumeRequest{VolumeID: id})
		if err != nil {
			return err
		}
		sp := r.Volume.Spec.Copy()
		sp.Availability, sp.Annotations.Labels = a, map[string]string{"changed": fmt.Sprint(r.Volume.Meta.Version.Index)}
		_, err = call(s.c().UpdateVolume, &api.UpdateVolumeRequest{VolumeID: id, VolumeVersion: &r.Volume.Meta.Version, Spec: sp})
		return err
	})
}
