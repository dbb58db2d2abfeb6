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
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
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
		umask := syscall.Umask(0o077) // modes of files do not come from it
		err = run("../..", made, chosen(), true)
		syscall.Umask(umask)
	}
	if err != nil {
		println("release:", err.Error())
		os.Exit(1)
	}
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

// chosen are the platforms of the release that this makes.
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
	for _, p := range built(t) {
		t.Run(p.os+"_"+p.arch, func(t *testing.T) {
			files := unpacked(t, p)
			binary := program(files)
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

// built are the platforms of the release, as values.
func built(t *testing.T) []platform {
	t.Helper()
	all, err := choose(chosen())
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// program is the binary of an archive.
func program(files map[string][]byte) []byte {
	return slices.Concat(files["tracecheck"], files["tracecheck.exe"])
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

// The bill of materials of each platform has the modules of its binary, and no others.
func TestMaterials(t *testing.T) {
	for _, p := range built(t) {
		data, err := os.Open(file(t, "*_"+p.os+"_"+p.arch+".cdx.json"))
		if err != nil {
			t.Fatal(err)
		}
		defer data.Close()
		var bom cyclonedx.BOM
		if err := cyclonedx.NewBOMDecoder(data, cyclonedx.BOMFileFormatJSON).Decode(&bom); err != nil {
			t.Fatal(err)
		}
		info, err := buildinfo.Read(bytes.NewReader(program(unpacked(t, p))))
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"pkg:golang/std@" + info.GoVersion}
		for _, dep := range info.Deps {
			want = append(want, "pkg:golang/"+dep.Path+"@"+dep.Version)
		}
		var got []string
		for _, c := range *bom.Components {
			got = append(got, c.PackageURL)
		}
		if len(want) < 20 || !slices.Equal(got, want) {
			t.Errorf("%s: the bill has\n%q\nthe binary\n%q", p, got, want)
		}
		if about := bom.Metadata.Component; about.Name != "tracecheck" || "v"+about.Version != info.Main.Version {
			t.Errorf("%s: it is of %s %s, the binary of %s", p, about.Name, about.Version, info.Main.Version)
		}
		if needs := *bom.Dependencies; len(needs) != 1 || !slices.Equal(*needs[0].Dependencies, got) {
			t.Errorf("%s: the program needs %v", p, needs)
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

// The package has what it should. That of this machine is unpacked in an empty root, and its program
// runs there.
func TestRPM(t *testing.T) {
	for _, p := range built(t) {
		if p.os != "linux" {
			continue
		}
		data, err := os.Open(file(t, map[string]string{"amd64": "*.x86_64.rpm", "arm64": "*.aarch64.rpm"}[p.arch]))
		if err != nil {
			t.Fatal(err)
		}
		defer data.Close()
		rpm, err := rpmutils.ReadRpm(data)
		if err != nil {
			t.Fatal(err)
		}
		payload, err := rpm.PayloadReaderExtended()
		if err != nil {
			t.Fatal(err)
		}
		root, names := t.TempDir(), []string{}
		for {
			f, err := payload.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, f.Name())
			isOwned(t, f.Name(), f.Mode()&0o777, strings.ReplaceAll(f.UserName()+":"+f.GroupName(), "root", "0"))
			if kept := f.Flags() == rpmutils.RPMFILE_CONFIG|rpmutils.RPMFILE_NOREPLACE; kept != strings.HasPrefix(f.Name(), "/etc/") {
				t.Errorf("%s: an update keeps the user's: %t", f.Name(), kept)
			}
			content, err := io.ReadAll(payload)
			if err == nil {
				err = os.MkdirAll(filepath.Join(root, filepath.Dir(f.Name())), 0o777)
			}
			if err == nil {
				err = os.WriteFile(filepath.Join(root, f.Name()), content, os.FileMode(f.Mode()&0o777))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range installed {
			if !slices.Contains(names, name) {
				t.Errorf("no %s in it", name)
			}
		}
		if p.arch == runtime.GOARCH && os.Getuid() == 0 { // a root of its own needs root
			judges(t, root, "/usr/bin/tracecheck", 0)
		}
	}
}

// The files of the archives, debs and images are root's, as those of the RPMs.
func TestOwners(t *testing.T) {
	look := func(r io.Reader) {
		files := 0
		for a := tar.NewReader(r); ; files++ {
			h, err := a.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			isOwned(t, h.Name, int(h.Mode&0o777), fmt.Sprintf("%d:%d", h.Uid, h.Gid))
		}
		if files < 3 {
			t.Errorf("it has %d files", files)
		}
	}
	dpkg, missing := exec.LookPath("dpkg-deb")
	if missing != nil {
		t.Log("the debs are not read: ", missing)
	}
	for _, p := range built(t) {
		if p.os != "windows" {
			look(unzipped(t, file(t, "*_"+p.os+"_"+p.arch+".tar.gz")))
		}
		if p.os != "linux" {
			continue
		}
		files := mutate.Extract(image(t, p))
		look(files)
		files.Close()
		if missing == nil {
			data, err := exec.Command(dpkg, "--fsys-tarfile", file(t, "*_"+p.arch+".deb")).Output()
			if err != nil {
				t.Fatal(err)
			}
			look(bytes.NewReader(data))
		}
	}
}

// isOwned reports a file that others than root can change, or that some cannot read. Only the program
// can be run. The image's folder is its user's.
func isOwned(t *testing.T, name string, mode int, owner string) {
	t.Helper()
	want, wantOwner := 0o644, "0:0"
	if strings.HasSuffix(name, "/") || path.Base(name) == "tracecheck" && !strings.Contains(name, "completion") {
		want = 0o755
	}
	if strings.TrimSuffix(name, "/") == "var/lib/tracecheck" {
		wantOwner = "65532:65532"
	}
	if mode != want || owner != wantOwner {
		t.Errorf("%s has mode %o and owner %s, want %o and %s", name, mode, owner, want, wantOwner)
	}
}

// The image is what deploy/Dockerfile describes, and runs as its user with its root.
func TestImage(t *testing.T) {
	image := image(t, platform{runtime.GOOS, runtime.GOARCH})
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

// image is that of a platform.
func image(t *testing.T, p platform) v1.Image {
	t.Helper()
	path := filepath.Join(t.TempDir(), "image.tar")
	data, err := io.ReadAll(unzipped(t, file(t, "*_"+p.arch+".image.tar.gz")))
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
	return image
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
