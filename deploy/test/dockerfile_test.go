package deploy_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

// image is what the Dockerfile's last stage is.
type image struct {
	user, workdir, port string
	entrypoint, command []string
	health              []string
}

func dockerfile(t *testing.T) (stages []instructions.Stage, last image) {
	t.Helper()
	file, err := os.Open("../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	tree, err := parser.Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	lint := linter.New(&linter.Config{Warn: func(rule, description, _, message string, at []parser.Range) {
		t.Errorf("%s: %s (%s) at %v", rule, message, description, at)
	}})
	stages, _, err = instructions.Parse(tree.AST, lint)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range stages[len(stages)-1].Commands {
		switch c := c.(type) {
		case *instructions.UserCommand:
			last.user = c.User
		case *instructions.WorkdirCommand:
			last.workdir = c.Path
		case *instructions.ExposeCommand:
			last.port = strings.Join(c.Ports, " ")
		case *instructions.EntrypointCommand:
			if c.PrependShell {
				t.Error("the entry point needs a shell, and there is none")
			}
			last.entrypoint = c.CmdLine
		case *instructions.CmdCommand:
			if c.PrependShell {
				t.Error("the command needs a shell, and there is none")
			}
			last.command = c.CmdLine
		case *instructions.HealthCheckCommand:
			last.health = c.Health.Test
		case *instructions.RunCommand:
			t.Error("the last stage runs something, and there is nothing to run it with")
		}
	}
	return stages, last
}

func TestDockerfile(t *testing.T) {
	stages, last := dockerfile(t)
	names := map[string]bool{}
	for i, stage := range stages {
		for _, c := range stage.Commands {
			if c, ok := c.(*instructions.CopyCommand); ok && c.From != "" && !names[c.From] {
				t.Errorf("%s copies from a stage that is not there before it", c)
			}
		}
		if names[stage.Name] = true; i < len(stages)-1 {
			if name, tag, _ := strings.Cut(stage.BaseName, ":"); name != "golang" || !newEnough(t, tag) {
				t.Errorf("%s does not build what go.mod asks for", stage.BaseName)
			}
		}
	}
	if base := stages[len(stages)-1].BaseName; base != "scratch" {
		t.Errorf("the image has %s in it, want nothing", base)
	}
	if user := regexp.MustCompile(`^[1-9][0-9]*:[1-9][0-9]*$`); !user.MatchString(last.user) {
		t.Errorf("it runs as %q, want numbers that are not root's: there is no list of users", last.user)
	}
	if len(last.entrypoint) != 1 || len(last.command) == 0 || last.command[0] != "monitor" {
		t.Errorf("it runs %q %q", last.entrypoint, last.command)
	}
	if want := []string{"CMD", last.entrypoint[0], "health"}; strings.Join(last.health, " ") != strings.Join(want, " ") {
		t.Errorf("its health check is %q, want %q", last.health, want)
	}
}

// newEnough says that the version of Go, such as 1.26, has all that go.mod asks
// for.
func newEnough(t *testing.T, tag string) bool {
	t.Helper()
	data, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	asked := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(string(data))
	return asked != nil && asked[1] == tag
}
