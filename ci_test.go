//go:build unix

package tracecheck_test

import (
	"crypto/sha256"
	"encoding/xml"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// .ci/kafka goes on only if all that Maven's client fetched has the checksums of kafka.jars. Here,
// another mvn fetches one jar.
func TestKafkaChecksums(t *testing.T) {
	for _, name := range []string{"bash", "sha256sum"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(err)
		}
	}
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte("a jar\n")))
	for name, c := range map[string]struct {
		sum    string
		goesOn bool
	}{
		"right":     {sum, true},
		"wrong":     {strings.Repeat("0", 64), false},
		"cut short": {sum[:63], false},
	} {
		dir := t.TempDir()
		write := func(name, text string) {
			t.Helper()
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o777); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{".ci/kafka", ".ci/kafka.pom.xml"} {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			write(name, string(text))
		}
		right := fmt.Sprintf("%x  org/right.jar\n", sha256.Sum256(nil))
		write(".ci/kafka.jars", right+c.sum+"  org/a.jar\n")
		write("bin/mvn", `#!/bin/sh
echo "mvn $*" >>called
for word; do case $word in -DoutputDirectory=*) cd "${word#*=}" && mkdir org && echo a jar >org/a.jar && : >org/right.jar ;; esac; done
`)
		write("bin/java", "#!/bin/sh\necho 'openjdk version \"21.0.1\"' >&2\n")
		write("bin/openssl", "#!/bin/sh\necho \"openssl $*\" >>called\nexit 1\n") // what it does next
		cmd := exec.Command(filepath.Join(dir, ".ci/kafka"))
		cmd.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"), "XDG_CACHE_HOME="+filepath.Join(dir, "cache"))
		said, _ := cmd.CombinedOutput()
		called, err := os.ReadFile(filepath.Join(dir, "called"))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(called), "mvn ") || !strings.Contains(string(called), " -f .ci/kafka.pom.xml ") {
			t.Errorf("Kafka is not fetched by mvn with the pom: %s", called)
		}
		if goesOn := strings.Contains(string(called), "openssl "); goesOn != c.goesOn || cmd.ProcessState.ExitCode() != 1 {
			t.Errorf("a checksum that is %s: it goes on: %t, exit status %d, want 1\n%s", name, goesOn, cmd.ProcessState.ExitCode(), said)
		}
	}
}

// kafka.jars has a checksum for each dependency of the pom.
func TestKafkaJars(t *testing.T) {
	text, err := os.ReadFile(".ci/kafka.pom.xml")
	if err != nil {
		t.Fatal(err)
	}
	var pom struct {
		Dependencies []struct {
			GroupID    string `xml:"groupId"`
			ArtifactID string `xml:"artifactId"`
			Version    string `xml:"version"`
		} `xml:"dependencies>dependency"`
	}
	if err := xml.Unmarshal(text, &pom); err != nil || len(pom.Dependencies) < 2 {
		t.Fatalf("%v: %v", pom, err)
	}
	sums, err := os.ReadFile(".ci/kafka.jars")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`^[0-9a-f]{64}  (\S+\.jar)\n$`)
	summed := map[string]bool{}
	for l := range strings.Lines(string(sums)) {
		m := line.FindStringSubmatch(l)
		if m == nil {
			t.Errorf("kafka.jars has the line %q", l)
			continue
		}
		summed[m[1]] = true
	}
	for _, d := range pom.Dependencies {
		jar := fmt.Sprintf("%s/%s/%s/%[2]s-%[3]s.jar", strings.ReplaceAll(d.GroupID, ".", "/"), d.ArtifactID, d.Version)
		if !summed[jar] {
			t.Errorf("kafka.jars has no checksum of %s", jar)
		}
	}
}
