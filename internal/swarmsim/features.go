package main

import (
	"fmt"
	"time"

	"github.com/moby/swarmkit/v2/api"
)

// features uses, one after the other, what the other plays leave out. Each step waits for
// its effect, and the play fails without it. At the end time passes, so that what waits for
// longer than a deadline shows.
func (s *sim) features() {
	steps := []func(){s.useNetworks, s.useVolumes, s.useSecrets, s.useLimits, s.useJob, s.changeManagers}
	for _, i := range s.rng.Perm(len(steps)) {
		steps[i]()
		if i == 0 {
			s.beginLate()
		}
	}
	clock := s.clock()
	s.mustSettle()
	s.tick(clock, featuresEnd)
}

// featuresEnd is how long the play features continues when all is done, in seconds.
const featuresEnd = 12

// patience is how long a step is waited for: other work may load the machine.
const patience = 2 * time.Minute

func (s *sim) mustSettle() {
	if waits := s.unsettled(patience); waits != "" {
		fail("%s", waits)
	}
}

// expect waits until something is so.
func (s *sim) expect(what string, done func() bool) {
	if !wait(patience, done) {
		fail("waited without success for: %s", what)
	}
	s.count(what, nil)
}

// service deploys one for a step.
func (s *sim) service(name string, change func(*api.ServiceSpec)) string {
	s.say("deploy %s", name)
	sp := replicated(name, 2+s.n(4), api.RestartOnAny, s.behaviour(), &api.UpdateConfig{
		Parallelism: uint64(1 + s.n(2)), Monitor: duration(500 * time.Millisecond),
		Order: pick(s, api.UpdateConfig_STOP_FIRST, api.UpdateConfig_START_FIRST),
	})
	change(sp)
	id := s.put(sp)
	s.mustSettle()
	return id
}

// all reports whether the service has running tasks, and each is as asked.
func (s *sim) all(id string, is func(*api.Task) bool) bool {
	n := 0
	for _, t := range s.tasksOf(id) {
		if t.Status.State == api.TaskStateRunning && t.DesiredState == api.TaskStateRunning {
			if !is(t) {
				return false
			}
			n++
		}
	}
	return n > 0
}

// useNetworks connects a service to a network, and to another one, and containers of no
// service to the first.
func (s *sim) useNetworks() {
	var ids [2]string
	for i := range ids {
		r, err := call(s.c().CreateNetwork, &api.CreateNetworkRequest{Spec: &api.NetworkSpec{
			Annotations: api.Annotations{Name: fmt.Sprint("net", i)}, DriverConfig: &api.Driver{Name: "overlay"}, Attachable: true,
		}})
		must(err)
		ids[i] = r.Network.ID
	}
	attached := func(n int) func(t *api.Task) bool {
		return func(t *api.Task) bool {
			for _, a := range t.Networks {
				if len(a.Addresses) == 0 {
					return false
				}
			}
			return len(t.Networks) == n
		}
	}
	web := s.service("networked", func(sp *api.ServiceSpec) {
		sp.Task.Networks = []*api.NetworkAttachmentConfig{{Target: ids[0]}}
	})
	s.expect("tasks on a network", func() bool { return s.all(web, attached(1)) })
	s.edit(web, "second network", func(sp *api.ServiceSpec) {
		sp.Task.Networks = append(sp.Task.Networks, &api.NetworkAttachmentConfig{Target: ids[1]})
	})
	s.mustSettle()
	s.expect("tasks on two networks", func() bool { return s.all(web, attached(2)) })

	workers := s.rng.Perm(s.Agents)[:min(3, s.Agents)]
	for _, i := range workers {
		s.agent("attach", i, ids[0])
	}
	running := func() (n int) {
		r, err := call(s.c().ListTasks, &api.ListTasksRequest{})
		if err != nil {
			return -1
		}
		for _, t := range r.Tasks {
			if t.ServiceID == "" && t.Status.State == api.TaskStateRunning && attached(1)(t) {
				n++
			}
		}
		return n
	}
	s.expect("attached containers", func() bool { return running() == len(workers) })
	for _, i := range workers {
		s.agent("detach", i)
	}
	s.expect("detached containers", func() bool { return running() == 0 })
}

// useSecrets gives a service a secret and a config, changes their labels, and replaces
// them.
func (s *sim) useSecrets() {
	var old *api.ContainerSpec
	create := func(version string) func(*api.ServiceSpec) {
		name, data := api.Annotations{Name: "v" + version}, []byte(version)
		secret, err := call(s.c().CreateSecret, &api.CreateSecretRequest{Spec: &api.SecretSpec{Annotations: name, Data: data}})
		must(err)
		config, err := call(s.c().CreateConfig, &api.CreateConfigRequest{Spec: &api.ConfigSpec{Annotations: name, Data: data}})
		must(err)
		name.Labels = map[string]string{"changed": "yes"}
		_, err = call(s.c().UpdateSecret, &api.UpdateSecretRequest{SecretID: secret.Secret.ID,
			SecretVersion: &secret.Secret.Meta.Version, Spec: &api.SecretSpec{Annotations: name}})
		must(err)
		_, err = call(s.c().UpdateConfig, &api.UpdateConfigRequest{ConfigID: config.Config.ID,
			ConfigVersion: &config.Config.Meta.Version, Spec: &api.ConfigSpec{Annotations: name}})
		must(err)
		return func(sp *api.ServiceSpec) {
			old = sp.Task.GetContainer().Copy()
			file := &api.FileTarget{Name: "secret"}
			sp.Task.GetContainer().Secrets = []*api.SecretReference{{SecretID: secret.Secret.ID, SecretName: name.Name,
				Target: &api.SecretReference_File{File: file}}}
			sp.Task.GetContainer().Configs = []*api.ConfigReference{{ConfigID: config.Config.ID, ConfigName: name.Name,
				Target: &api.ConfigReference_File{File: file}}}
		}
	}
	// A container starts only with what it may read: see controller.gather.
	web := s.service("secretive", create("1"))
	s.count("first secret and config", nil)
	s.edit(web, "second secret and config", create("2"))
	s.mustSettle()
	s.expect("tasks of the second secret", func() bool {
		return s.all(web, func(t *api.Task) bool { return t.Spec.GetContainer().Secrets[0].SecretName == "v2" })
	})
	s.again("remove the secret", func() error {
		_, err := call(s.c().RemoveSecret, &api.RemoveSecretRequest{SecretID: old.Secrets[0].SecretID})
		return err
	})
	s.again("remove the config", func() error {
		_, err := call(s.c().RemoveConfig, &api.RemoveConfigRequest{ConfigID: old.Configs[0].ConfigID})
		return err
	})
}

// useLimits changes the history limit while a service has history.
func (s *sim) useLimits() {
	web := s.service("historic", func(*api.ServiceSpec) {})
	for _, limit := range []int64{3, 1, 0, 2, s.History} {
		s.edit(web, "force", func(sp *api.ServiceSpec) { sp.Task.ForceUpdate++ })
		s.mustSettle()
		s.setLimit(limit)
	}
	s.edit(web, "force", func(sp *api.ServiceSpec) { sp.Task.ForceUpdate++ })
	s.mustSettle()
}

// useJob runs a job twice.
func (s *sim) useJob() { s.runJob() }

// changeManagers makes a follower a worker for a while, then the leader. The last manager
// is recorded: it is left alone, unless it leads.
func (s *sim) changeManagers() {
	if len(s.managers) < 3 {
		return
	}
	leader := s.leader()
	for i := range len(s.managers) - 1 {
		if i != leader {
			s.demote(i)
			s.count("follower demoted and promoted", nil)
			break
		}
	}
	if leader = s.leader(); leader < 0 || leader == len(s.managers)-1 {
		s.say("the leader stays: %d", leader)
		return
	}
	s.demote(leader)
	s.count("leader demoted and promoted", nil)
	s.mustSettle()
}
