package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"debug/elf"
	"encoding/hex"
	"encoding/json"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/CycloneDX/cyclonedx-go"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/sassoftware/go-rpmutils"
)

var made string // a release of the tree that this test is in

// TestMain makes a release: of this machine's platform alone, unless
// TRACECHECK_RELEASE=all asks for each.
func TestMain(m *testing.M) {
	flag.Parse()
	dir, err := os.MkdirTemp("", "release")
	if err == nil {
		made = filepath.Join(dir, "made")
		err = run("../..", made, chosen(), true)
	}
	if err != nil {
		println("release:", err.Error())
		os.Exit(1)
	}
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

func chosen() string {
	if os.Getenv("TRACECHECK_RELEASE") == "all" {
		return ""
	}
	return runtime.GOOS + "/" + runtime.GOARCH
}

// file is the one file of the release that fits the pattern.
func file(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(made, pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s fits %d files (%v)", pattern, len(found), err)
	}
	return found[0]
}

func TestChecksums(t *testing.T) {
	text, err := os.ReadFile(file(t, checksums))
	if err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(made)
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(text), "\n"); lines != len(files)-1 {
		t.Errorf("%d sums of %d files", lines, len(files)-1)
	}
	for line := range strings.Lines(string(text)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		data, err := os.ReadFile(filepath.Join(made, name))
		if err != nil {
			t.Fatal(err)
		}
		if got := sha256.Sum256(data); hex.EncodeToString(got[:]) != sum {
			t.Errorf("%s has another sum", name)
		}
	}
}

// most is how large a binary may be: 25 MB.
const most = 25_000_000

// Each archive has a binary of its platform, without a C library, and what a user
// installs beside it.
func TestArchives(t *testing.T) {
	all, err := choose(chosen())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		t.Run(p.os+"_"+p.arch, func(t *testing.T) {
			files := unpacked(t, p)
			name := "tracecheck"
			if p.os == "windows" {
				name += ".exe"
			}
			binary := files[name]
			info, err := buildinfo.Read(bytes.NewReader(binary))
			if err != nil {
				t.Fatal(err)
			}
			if _, version, _ := strings.Cut(filepath.Base(file(t, "*_"+p.os+"_"+p.arch+".cdx.json")), "_"); info.Main.Version == "" || !strings.HasPrefix("v"+version, info.Main.Version+"_") {
				t.Errorf("the binary has the version %q, the file %s", info.Main.Version, version)
			}
			want := map[string]string{"GOOS": p.os, "GOARCH": p.arch, "CGO_ENABLED": "0", "-trimpath": "true"}
			for _, s := range info.Settings {
				if w, ok := want[s.Key]; ok && w != s.Value {
					t.Errorf("%s is %s, want %s", s.Key, s.Value, w)
				}
				delete(want, s.Key)
			}
			if len(want) > 0 {
				t.Errorf("not in the binary: %v", want)
			}
			if len(binary) > most {
				t.Errorf("the binary has %d bytes, more than %d", len(binary), most)
			}
			if bytes.Contains(binary, []byte("text/template.(*state).evalField")) {
				t.Error("something calls methods by name: the linker keeps each exported method")
			}
			if p.os == "linux" {
				program, err := elf.NewFile(bytes.NewReader(binary))
				if err != nil {
					t.Fatal(err)
				}
				if slices.ContainsFunc(program.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
					t.Error("the binary needs a dynamic linker")
				}
			}
			for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md", "SECURITY.md", "deploy/monitor.yaml", "docs/schema/rules.json", "man/tracecheck.1", "man/tracecheck-validate.1", "completions/tracecheck.bash"} {
				if len(files[name]) == 0 {
					t.Errorf("there is no %s", name)
				}
			}
			links := regexp.MustCompile(`\]\((docs/[^)#]+)`).FindAllSubmatch(files["README.md"], -1)
			if len(links) < 20 {
				t.Errorf("the README has %d links to pages", len(links))
			}
			for _, link := range links {
				if len(files[string(link[1])]) == 0 {
					t.Errorf("the README names %s, which is not there", link[1])
				}
			}
		})
	}
}

// unpacked has the files of a platform's archive, without their folder.
func unpacked(t *testing.T, p platform) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	add := func(name string, r io.Reader) {
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		_, name, _ = strings.Cut(name, "/")
		files[name] = data
	}
	if p.os == "windows" {
		z, err := zip.OpenReader(file(t, "*_"+p.os+"_"+p.arch+".zip"))
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			add(f.Name, r)
		}
		return files
	}
	r := unzipped(t, file(t, "*_"+p.os+"_"+p.arch+".tar.gz"))
	for a := tar.NewReader(r); ; {
		h, err := a.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		add(h.Name, a)
	}
}

func unzipped(t *testing.T, path string) io.Reader {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Each command has a page with each of its flags.
func TestManuals(t *testing.T) {
	files := unpacked(t, platform{runtime.GOOS, runtime.GOARCH})
	for command, flag := range map[string]string{"validate": "--profile", "monitor": "--checkpoint", "shrink": "--around"} {
		page := string(files["man/tracecheck-"+command+".1"])
		escaped := strings.ReplaceAll(flag, "-", `\-`)
		if !strings.Contains(page, "\n.B "+escaped) || !strings.Contains(page, ".SH SYNOPSIS\ntracecheck "+command) || !strings.Contains(page, ".SH NAME\ntracecheck\\-"+command+" \\- ") {
			t.Errorf("the page of %s:\n%s", command, page)
		}
	}
	man, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("there is no groff, which reads the pages")
	}
	for name, page := range files {
		if !strings.HasPrefix(name, "man/") {
			continue
		}
		cmd := exec.Command(man, "-man", "-ww", "-Tutf8", "-z")
		cmd.Stdin = bytes.NewReader(page)
		if said, err := cmd.CombinedOutput(); err != nil || len(said) > 0 {
			t.Errorf("%s: %v\n%s", name, err, said)
		}
	}
}

func TestMaterials(t *testing.T) {
	data, err := os.Open(file(t, "*_"+runtime.GOOS+"_"+runtime.GOARCH+".cdx.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	var bom cyclonedx.BOM
	if err := cyclonedx.NewBOMDecoder(data, cyclonedx.BOMFileFormatJSON).Decode(&bom); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"pkg:golang/github.com/tidwall/gjson@", "pkg:golang/github.com/segmentio/kafka-go@", "pkg:golang/std@" + runtime.Version()} {
		if !slices.ContainsFunc(*bom.Components, func(c cyclonedx.Component) bool { return strings.HasPrefix(c.PackageURL, want) }) {
			t.Errorf("no %s in it", want)
		}
	}
}

// The package is installed in an empty root, and its program runs there.
func TestDeb(t *testing.T) {
	dpkg, err := exec.LookPath("dpkg")
	if err != nil || os.Getuid() != 0 {
		t.Skip("to install a package needs dpkg and root")
	}
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "var/lib/dpkg/updates"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"status", "available"} {
		if err := os.WriteFile(filepath.Join(root, "var/lib/dpkg", name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(dpkg, "--root="+root, "--install", file(t, "*_"+runtime.GOARCH+".deb"))
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	for _, name := range installed {
		if _, err := os.Stat(filepath.Join(root, name)); err != nil {
			t.Error(err)
		}
	}
	unit, err := os.ReadFile(filepath.Join(root, "usr/lib/systemd/system/tracecheck-monitor.service"))
	if err != nil || !bytes.Contains(unit, []byte("ExecStart=/usr/bin/tracecheck monitor")) {
		t.Errorf("the unit (%v):\n%s", err, unit)
	}
	config, err := os.ReadFile(filepath.Join(root, "etc/tracecheck/monitor.yaml"))
	if err != nil || !bytes.Contains(config, []byte("$schema=/usr/share/tracecheck/schema/monitor.json\n")) {
		t.Errorf("the configuration (%v):\n%s", err, config)
	}
	judges(t, root, "/usr/bin/tracecheck", 0)
}

// installed is what both packages install.
var installed = []string{
	"/usr/bin/tracecheck", "/etc/tracecheck/monitor.yaml", "/usr/lib/systemd/system/tracecheck-monitor.service",
	"/usr/share/man/man1/tracecheck.1.gz", "/usr/share/man/man1/tracecheck-monitor.1.gz", "/usr/share/bash-completion/completions/tracecheck",
	"/usr/share/fish/vendor_completions.d/tracecheck.fish", "/usr/share/doc/tracecheck/copyright",
	"/usr/share/tracecheck/schema/monitor.json", "/usr/share/tracecheck/schema/rules.json", "/usr/share/doc/tracecheck/docs/map.md",
}

// judges runs the program in the root, where nothing else is, on a trace that breaks
// the text of the spec, and does what a healthy swarm does.
func judges(t *testing.T, root, program string, user uint32) {
	t.Helper()
	data, err := os.ReadFile("../../testdata/traces/scale.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for profile, want := range map[string]int{"spec": 1, "moby": 0} {
		cmd := exec.Command(program, "validate", "--spec", "swarmkit", "--profile", profile, "-")
		cmd.Dir, cmd.Stdin = "/", bytes.NewReader(data)
		cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: user, Gid: user}}
		said, _ := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != want {
			t.Errorf("%s: exit status %d, want %d\n%s", profile, got, want, said)
		}
	}
}

func TestRPM(t *testing.T) {
	data, err := os.Open(file(t, map[string]string{"amd64": "*.x86_64.rpm", "arm64": "*.aarch64.rpm"}[runtime.GOARCH]))
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	rpm, err := rpmutils.ReadRpm(data)
	if err != nil {
		t.Fatal(err)
	}
	files, err := rpm.Header.GetFiles()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range installed {
		if !slices.ContainsFunc(files, func(f rpmutils.FileInfo) bool { return f.Name() == name }) {
			t.Errorf("no %s in it", name)
		}
	}
}

// The image is what deploy/Dockerfile describes, and runs as its user with its root.
func TestImage(t *testing.T) {
	r := unzipped(t, file(t, "*_"+runtime.GOARCH+".image.tar.gz"))
	path := filepath.Join(t.TempDir(), "image.tar")
	data, err := io.ReadAll(r)
	if err == nil {
		err = os.WriteFile(path, data, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	image, err := tarball.ImageFromPath(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	got, _ := json.Marshal(config.Config.Cmd) // strings can be written
	for _, line := range []string{
		"USER " + config.Config.User, "WORKDIR " + config.Config.WorkingDir, "CMD " + strings.ReplaceAll(string(got), ",", ", "),
		`ENTRYPOINT ["` + strings.Join(config.Config.Entrypoint, `", "`) + `"]`,
	} {
		if !strings.Contains(string(text), line+"\n") {
			t.Errorf("not in the Dockerfile: %s", line)
		}
	}
	if os.Getuid() != 0 {
		t.Skip("to run it in a root of its own needs root")
	}
	judges(t, extracted(t, image), config.Config.Entrypoint[0], 65532)
}

// extracted is a folder with the image's files.
func extracted(t *testing.T, image v1.Image) string {
	t.Helper()
	root, err := os.MkdirTemp("", "image") // open to the image's user, as t.TempDir's parents are not
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	r := mutate.Extract(image)
	defer r.Close()
	cmd := exec.Command("tar", "-xf", "-", "-C", root)
	cmd.Stdin = r
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	return root
}

// The same commit makes the same files.
func TestAgain(t *testing.T) {
	again := filepath.Join(t.TempDir(), "again")
	if err := run("../..", again, runtime.GOOS+"/"+runtime.GOARCH, true); err != nil {
		t.Fatal(err)
	}
	first, err := os.ReadFile(file(t, checksums))
	if err != nil {
		t.Fatal(err)
	}
	second, err := os.ReadFile(filepath.Join(again, checksums))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(second)) {
		if !strings.Contains(string(first), line) {
			t.Errorf("not the same: %s", line)
		}
	}
}

func TestRefusals(t *testing.T) {
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "x"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for want, err := range map[string]error{
		"is not empty":     run("../..", full, "", true),
		"want -o DIR":      run("../..", "", "", true),
		"unknown platform": run("../..", filepath.Join(full, "new"), "linux/pdp11", true),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want: %s", err, want)
		}
	}
}
