package deploy_test

import (
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/coreos/go-systemd/v22/unit"
	"go.yaml.in/yaml/v4"
)

// mayRepeat are the settings that add up.
var mayRepeat = []string{"ExecReload", "SystemCallFilter", "LoadCredential"}

const unitName = "tracecheck-monitor.service"

// The unit is one, and what the example configuration writes has a place in it:
// all else is read-only there.
func TestUnit(t *testing.T) {
	file, err := os.Open("../" + unitName)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	options, err := unit.DeserializeOptions(file)
	if err != nil {
		t.Fatal(err)
	}
	set := map[string][]string{}
	for _, o := range options {
		if set[o.Name] = append(set[o.Name], o.Value); len(set[o.Name]) > 1 && !slices.Contains(mayRepeat, o.Name) {
			t.Errorf("%s is set twice", o.Name)
		}
		section := map[string]string{"Wants": "Unit", "After": "Unit", "Description": "Unit", "StartLimitIntervalSec": "Unit", "WantedBy": "Install"}[o.Name]
		if section == "" {
			section = "Service"
		}
		if o.Section != section {
			t.Errorf("%s is in section %s, want %s", o.Name, o.Section, section)
		}
	}
	for name, want := range map[string]string{
		"Type": "notify", "Restart": "on-failure", "DynamicUser": "yes", "NoNewPrivileges": "yes", "ProtectSystem": "strict", "CapabilityBoundingSet": "",
	} {
		if got := set[name]; len(got) != 1 || got[0] != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if len(set["WatchdogSec"]) != 1 {
		t.Error("there is no watchdog")
	}
	// The check comes before the reload.
	if r := set["ExecReload"]; len(r) != 2 || !strings.HasPrefix(r[0], set["ExecStart"][0]) || !strings.HasSuffix(r[0], "--dry-run") || !strings.HasSuffix(r[1], "kill -HUP $MAINPID") {
		t.Errorf("ExecReload is %q", r)
	}
	state := path.Join("/var/lib", set["StateDirectory"][0])
	if set["WorkingDirectory"][0] != "%S/"+set["StateDirectory"][0] {
		t.Errorf("the working directory %s is not the state directory", set["WorkingDirectory"])
	}
	data, err := os.ReadFile("../monitor.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var config map[string]any
	if err := yaml.Load(data, &config); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"checkpoint", "dead-letters", "alerts"} {
		if file, _ := config[key].(string); path.Dir(file) != state {
			t.Errorf("the example's %s is %q, want a file in %s", key, file, state)
		}
	}
	for _, word := range strings.Fields(string(data)) {
		if credential, ok := strings.CutPrefix(word, "/run/credentials/"); ok {
			name, file, _ := strings.Cut(credential, "/")
			text, err := os.ReadFile("../" + unitName)
			if err != nil || name != unitName || !strings.Contains(string(text), "LoadCredential="+file+":") {
				t.Errorf("the unit does not load %s", word)
			}
		}
	}
}
