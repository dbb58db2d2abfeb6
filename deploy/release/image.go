package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

// image writes an image for `docker load`: what the last stage of deploy/Dockerfile
// describes, with this binary. It needs no engine and no registry. The certificates
// of authorities are this machine's.
func (r *release) image(p platform, file, binary string) error {
	commands, err := r.lastStage()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	root := tar.NewWriter(&b)
	config := v1.Config{}
	for _, c := range commands {
		switch c := c.(type) {
		case *instructions.CopyCommand:
			err = r.copy(root, c, binary)
		case *instructions.UserCommand:
			config.User = c.User
		case *instructions.WorkdirCommand:
			config.WorkingDir = c.Path
		case *instructions.ExposeCommand:
			config.ExposedPorts = map[string]struct{}{}
			for _, port := range c.Ports {
				config.ExposedPorts[port+"/tcp"] = struct{}{}
			}
		case *instructions.HealthCheckCommand:
			config.Healthcheck = &v1.HealthConfig{Test: c.Health.Test, Interval: c.Health.Interval, Timeout: c.Health.Timeout,
				StartPeriod: c.Health.StartPeriod, Retries: c.Health.Retries}
		case *instructions.EntrypointCommand:
			config.Entrypoint = c.CmdLine
		case *instructions.CmdCommand:
			config.Cmd = c.CmdLine
		default:
			err = fmt.Errorf("%s is not supported here", c.Name())
		}
		if err != nil {
			return fmt.Errorf("deploy/Dockerfile: %w", err)
		}
	}
	if err := root.Close(); err != nil {
		return err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.Bytes())), nil })
	if err != nil {
		return err
	}
	return r.load(p, file, config, layer)
}

// load writes the file for `docker load`.
func (r *release) load(p platform, file string, config v1.Config, layer v1.Layer) error {
	image, err := mutate.ConfigFile(empty.Image, &v1.ConfigFile{OS: p.os, Architecture: p.arch, Config: config, Created: v1.Time{Time: r.made}})
	if err != nil {
		return err
	}
	if image, err = mutate.AppendLayers(image, layer); err != nil {
		return err
	}
	// A tag has no plus sign, which a version of a changed tree has.
	tag, err := name.NewTag("tracecheck:" + strings.ReplaceAll(r.version, "+", "-"))
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := tarball.Write(tag, image, &b); err != nil {
		return err
	}
	return r.write(file+".image.tar.gz", zipped(b.Bytes()))
}

func (r *release) lastStage() ([]instructions.Command, error) {
	file, err := os.Open(filepath.Join(r.source, "deploy/Dockerfile"))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	tree, err := parser.Parse(file)
	if err != nil {
		return nil, err
	}
	stages, _, err := instructions.Parse(tree.AST, nil)
	if err != nil {
		return nil, err
	}
	if len(stages) == 0 {
		return nil, errors.New("deploy/Dockerfile has no stage")
	}
	return stages[len(stages)-1].Commands, nil
}

// copy does what COPY does with what the first stage has: the binary, an empty
// folder, and the machine's files.
func (r *release) copy(root *tar.Writer, c *instructions.CopyCommand, binary string) error {
	h := &tar.Header{Name: strings.TrimPrefix(c.DestPath, "/"), Mode: 0o644, ModTime: r.made}
	if c.Chown != "" {
		user, group, _ := strings.Cut(c.Chown, ":")
		var bad [2]error
		h.Uid, bad[0] = strconv.Atoi(user)
		h.Gid, bad[1] = strconv.Atoi(group)
		if err := errors.Join(bad[:]...); err != nil {
			return err
		}
	}
	var data []byte
	var err error
	switch from := c.SourcePaths[0]; from {
	case "/out/state":
		h.Typeflag, h.Mode, h.Name = tar.TypeDir, 0o755, h.Name+"/"
	case "/out/tracecheck":
		h.Mode = 0o755
		data, err = os.ReadFile(binary)
	default:
		data, err = os.ReadFile(from)
	}
	if err != nil {
		return err
	}
	h.Size = int64(len(data))
	if err := root.WriteHeader(h); err != nil {
		return err
	}
	_, err = root.Write(data)
	return err
}
