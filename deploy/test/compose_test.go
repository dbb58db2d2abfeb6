package deploy_test

import (
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
	"go.yaml.in/yaml/v4"
)

func project(t *testing.T) *types.Project {
	t.Helper()
	p, err := loader.LoadWithContext(t.Context(), types.ConfigDetails{
		WorkingDir: "..", ConfigFiles: []types.ConfigFile{{Filename: "../compose.yaml"}},
	}, func(o *loader.Options) { o.Profiles = []string{"*"}; o.ResolvePaths = true })
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// hubImage is one of Docker Hub's, with a version.
var hubImage = regexp.MustCompile(`^[a-z0-9]+/[a-z0-9]+:v?\d+\.\d+\.\d+$`)

func TestCompose(t *testing.T) {
	p := project(t)
	_, ours := dockerfile(t)
	mounted := map[string]bool{}
	for name, s := range p.Services {
		switch {
		case s.Image == "tracecheck":
			if s.Build == nil && p.Services["monitor"].Build == nil {
				t.Errorf("%s: nothing builds its image", name)
			}
		case !hubImage.MatchString(s.Image):
			t.Errorf("%s: the image %s has no version, or is not from Docker Hub", name, s.Image)
		}
		if s.Build != nil {
			if _, err := os.Stat(filepath.Join(s.Build.Context, s.Build.Dockerfile)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if _, err := os.Stat(filepath.Join(s.Build.Context, "go.mod")); err != nil {
				t.Errorf("%s: the context is not the module: %v", name, err)
			}
		}
		for _, port := range s.Ports {
			if port.HostIP != "127.0.0.1" {
				t.Errorf("%s: port %s is open to other machines", name, port.Published)
			}
		}
		for _, v := range s.Volumes {
			switch v.Type {
			case types.VolumeTypeBind:
				if info, err := os.Stat(v.Source); err != nil || info.IsDir() || !v.ReadOnly {
					t.Errorf("%s: %s is no file, or can be written to: %v", name, v.Source, err)
				}
			case types.VolumeTypeVolume:
				mounted[v.Source] = true
				if s.Image == "tracecheck" && v.Target != ours.workdir {
					t.Errorf("%s: %s is root's there: the image has %s for its user", name, v.Target, ours.workdir)
				}
			}
		}
		for on, d := range s.DependsOn {
			before := p.Services[on]
			if ends := d.Condition == types.ServiceConditionCompletedSuccessfully; ends != (before.Restart == "") {
				t.Errorf("%s waits for %s to be %s, which restarts: %q", name, on, d.Condition, before.Restart)
			}
			if d.Condition == types.ServiceConditionHealthy && before.HealthCheck == nil {
				t.Errorf("%s: %s has no health check", name, on)
			}
		}
	}
	for volume := range p.Volumes {
		if !mounted[volume] {
			t.Errorf("nobody has the volume %s", volume)
		}
	}
}

// What the services have of each other's addresses and topics is so.
func TestComposeFitsTogether(t *testing.T) {
	p := project(t)
	_, ours := dockerfile(t)
	var config struct {
		Kafka, Topic, Webhook, Listen string
		Checkpoints                   string `yaml:"checkpoint-topic"`
		Dead                          string `yaml:"dead-letter-topic"`
		Alerts                        string `yaml:"alert-topic"`
		PublicURL                     string `yaml:"public-url"`
	}
	readYAML(t, "../compose-monitor.yaml", &config, false)
	if !slices.ContainsFunc(p.Services["monitor"].Volumes, func(v types.ServiceVolumeConfig) bool {
		return filepath.Base(v.Source) == "compose-monitor.yaml" && slices.Contains(ours.command, v.Target)
	}) {
		t.Error("the monitor does not read its configuration")
	}
	if _, port, _ := net.SplitHostPort(config.Listen); port != ours.port || !publishes(p, "monitor", port, port) {
		t.Errorf("the monitor listens at %s, and %s is open", config.Listen, ours.port)
	}
	advertised := *p.Services["kafka"].Environment["KAFKA_ADVERTISED_LISTENERS"]
	if !strings.Contains(advertised, "://"+config.Kafka) {
		t.Errorf("the monitor asks %s, and the broker is at %s", config.Kafka, advertised)
	}
	script := strings.Join(p.Services["topics"].Command, " ")
	made := strings.Fields(regexp.MustCompile(`for topic in ([^;]*);`).FindStringSubmatch(script)[1])
	want := []string{config.Topic, config.Dead, config.Alerts} // the monitor makes that of checkpoints
	slices.Sort(want)
	slices.Sort(made)
	if !slices.Equal(made, want) {
		t.Errorf("the topics %v are made, and the monitor uses %v", made, want)
	}
	for _, s := range []string{"topics", "demo"} {
		if script := strings.Join(p.Services[s].Command, " "); !strings.Contains(script, "--bootstrap-server "+config.Kafka+" ") {
			t.Errorf("%s asks another broker than the monitor", s)
		}
	}
	if user := p.Services["demo"].User; user != "0:0" && user != ours.user {
		t.Errorf("the demo runs as %s, and cannot read the events: generate writes for its own user, %s, alone", user, ours.user)
	}
	if script := strings.Join(p.Services["demo"].Command, " "); !strings.Contains(script, "--topic "+config.Topic+" ") {
		t.Errorf("the demo sends to another topic than %s", config.Topic)
	}
	for _, address := range []string{config.Webhook, "http://" + prometheus(t, p, ours.port), grafana(t)} {
		u, err := url.Parse(address)
		if _, is := p.Services[u.Hostname()]; err != nil || !is || !publishes(p, u.Hostname(), u.Port(), u.Port()) {
			t.Errorf("there is no %s", address)
		}
	}
	if u, err := url.Parse(config.PublicURL); err != nil || u.Hostname() != "localhost" || u.Port() != ours.port {
		t.Errorf("the monitor is not at %s", config.PublicURL)
	}
}

// publishes says that the service's port can be reached from this machine.
func publishes(p *types.Project, service, port, from string) bool {
	return slices.ContainsFunc(p.Services[service].Ports, func(c types.ServicePortConfig) bool {
		first, _, _ := strings.Cut(c.Published, "-")
		return first == from && port == strconv.Itoa(int(c.Target))
	})
}

// prometheus is the address of the Alertmanager that Prometheus knows. Its other
// settings are checked.
func prometheus(t *testing.T, p *types.Project, port string) string {
	t.Helper()
	var config struct {
		Global struct {
			Scrape   string `yaml:"scrape_interval"`
			Evaluate string `yaml:"evaluation_interval"`
		}
		Rules    []string `yaml:"rule_files"`
		Alerting struct {
			Alertmanagers []struct {
				Static []struct{ Targets []string } `yaml:"static_configs"`
			}
		}
		Scrape []struct {
			Job string `yaml:"job_name"`
			DNS []struct {
				Names []string
				Type  string
				Port  int
			} `yaml:"dns_sd_configs"`
		} `yaml:"scrape_configs"`
	}
	readYAML(t, "../prometheus/prometheus.yml", &config, true)
	if len(config.Scrape) != 1 || config.Scrape[0].Job != "tracecheck" {
		t.Fatalf("the jobs are %+v; the rules are for one that is named tracecheck", config.Scrape)
	}
	dns := config.Scrape[0].DNS[0]
	if !slices.Equal(dns.Names, []string{"monitor"}) || dns.Type != "A" || strconv.Itoa(dns.Port) != port {
		t.Errorf("Prometheus looks for the monitor at %+v", dns)
	}
	for _, file := range append(config.Rules, "prometheus.yml") {
		if !slices.ContainsFunc(p.Services["prometheus"].Volumes, func(v types.ServiceVolumeConfig) bool {
			return v.Target == "/etc/prometheus/"+file && filepath.Base(v.Source) == file
		}) {
			t.Errorf("Prometheus does not have %s", file)
		}
	}
	return config.Alerting.Alertmanagers[0].Static[0].Targets[0]
}

// grafana is the address of its data source.
func grafana(t *testing.T) string {
	t.Helper()
	var sources struct {
		Version     int `yaml:"apiVersion"`
		Datasources []struct {
			Name, Type, Access, URL string
			Default                 bool `yaml:"isDefault"`
		}
	}
	readYAML(t, "../grafana/datasources.yaml", &sources, true)
	if s := sources.Datasources; len(s) != 1 || s[0].Type != "prometheus" || !s[0].Default {
		t.Fatalf("the data sources are %+v", sources)
	}
	return sources.Datasources[0].URL
}

// Where Grafana looks for dashboards, it finds one.
func TestGrafanaFindsTheDashboard(t *testing.T) {
	var providers struct {
		Version   int `yaml:"apiVersion"`
		Providers []struct {
			Name, Type string
			Options    struct{ Path string }
		}
	}
	readYAML(t, "../grafana/dashboards.yaml", &providers, true)
	s := project(t).Services["grafana"]
	home := *s.Environment["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"]
	for _, v := range s.Volumes {
		if v.Target == home && filepath.Base(v.Source) == "tracecheck.json" && filepath.Dir(home) == providers.Providers[0].Options.Path {
			return
		}
	}
	t.Errorf("%s is not mounted, or not in %+v", home, providers)
}

// Alertmanager's routes lead to receivers that there are.
func TestAlertmanager(t *testing.T) {
	var config struct {
		Route struct {
			Receiver string
			By       []string `yaml:"group_by"`
		}
		Receivers []struct{ Name string }
	}
	readYAML(t, "../prometheus/alertmanager.yml", &config, true)
	if len(config.Receivers) != 1 || config.Receivers[0].Name != config.Route.Receiver || config.Route.Receiver == "" {
		t.Errorf("got %+v", config)
	}
}

// readYAML reads a file of YAML; strictly, it has no keys that the value has not.
func readYAML(t *testing.T, file string, into any, strictly bool) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Load(data, into, yaml.WithKnownFields(strictly)); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}
