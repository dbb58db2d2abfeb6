package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// action is what of the GitHub Action's file its runner obeys.
type action struct {
	Inputs map[string]struct{ Default string }
	Runs   struct {
		Steps []struct {
			Name, Shell, Run string
			Env              map[string]string
		}
	}
}

// The action's steps, as a runner runs them, install this release and judge each file.
func TestAction(t *testing.T) {
	data, err := os.ReadFile("../action/action.yml")
	if err != nil {
		t.Fatal(err)
	}
	var a action
	if err := yaml.Load(data, &a); err != nil {
		t.Fatal(err)
	}
	version, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(file(t, "*_"+runtime.GOOS+"_"+runtime.GOARCH+".tar.gz")), "tracecheck_"), "_")
	server := httptest.NewServer(http.StripPrefix("/v"+version, http.FileServer(http.Dir(made))))
	defer server.Close()
	work, err := filepath.Abs("../../testdata/traces")
	if err != nil {
		t.Fatal(err)
	}
	for profile, wantFailed := range map[string]bool{"spec": true, "moby": false} {
		temp := t.TempDir()
		given := map[string]string{
			"inputs.traces": "scale.jsonl scale.jsonl", "inputs.args": "--spec swarmkit --profile " + profile,
			"inputs.version": version, "inputs.releases": server.URL,
			"runner.os": strings.ToUpper(runtime.GOOS[:1]) + runtime.GOOS[1:], "runner.temp": temp,
			"runner.arch": map[string]string{"amd64": "X64", "arm64": "ARM64"}[runtime.GOARCH],
		}
		path, said, failed := os.Getenv("PATH"), "", false
		added := filepath.Join(temp, "path")
		for _, step := range a.Runs.Steps {
			cmd := exec.Command(step.Shell, "-e", "-c", step.Run)
			cmd.Dir, cmd.Env = work, []string{"PATH=" + path, "GITHUB_PATH=" + added}
			for name, value := range step.Env {
				for word, is := range given {
					value = strings.ReplaceAll(value, "${{ "+word+" }}", is)
				}
				if strings.Contains(value, "${{") {
					t.Fatalf("%s: %s=%s", step.Name, name, value)
				}
				cmd.Env = append(cmd.Env, name+"="+value)
			}
			out, err := cmd.CombinedOutput()
			said, failed = said+string(out), err != nil
			if failed {
				break
			}
			if more, err := os.ReadFile(added); err == nil {
				path = strings.TrimSpace(string(more)) + ":" + path
			}
		}
		if failed != wantFailed || strings.Contains(said, "::error file=scale.jsonl,line=") != wantFailed {
			t.Errorf("profile %s: failed %t\n%s", profile, failed, said)
		}
	}
}
