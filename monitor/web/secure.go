package web

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"

	"github.com/prometheus/exporter-toolkit/web"
	"go.uber.org/zap"
	"go.yaml.in/yaml/v4"

	"tracecheck/internal/files"
)

// Access is the TLS and login configuration of the page, from a file in the format
// of Prometheus' web configuration. The zero value is plain HTTP without a login.
type Access struct {
	File  string
	TLS   bool
	Login bool // there are users with passwords
}

// ReadAccess checks the file and the files that it names. The server reads them
// again for each connection, so they can be replaced at any time.
func ReadAccess(file string) (Access, error) {
	if file == "" {
		return Access{}, nil
	}
	data, err := files.Read(file, files.Document)
	if err != nil {
		return Access{}, err
	}
	if err := web.Validate(file); err != nil {
		return Access{}, fmt.Errorf("%s: %w", file, err)
	}
	var config struct {
		TLS struct {
			Cert string `yaml:"cert"`
			File string `yaml:"cert_file"`
		} `yaml:"tls_server_config"`
		Users map[string]string `yaml:"basic_auth_users"`
	}
	if err := yaml.Unmarshal(data, &config); err != nil {
		return Access{}, fmt.Errorf("%s: %w", file, err)
	}
	return Access{File: file, TLS: config.TLS.Cert != "" || config.TLS.File != "", Login: len(config.Users) > 0}, nil
}

// Scheme is the scheme of the page's URL.
func (a Access) Scheme() string {
	if a.TLS {
		return "https"
	}
	return "http"
}

// serve answers on the listener until the server ends.
func (a Access) serve(l net.Listener, s *http.Server, log *zap.Logger) error {
	faults, err := zap.NewStdLogAt(log, zap.ErrorLevel)
	if err != nil {
		return err
	}
	handler := slog.NewTextHandler(faults.Writer(), &slog.HandlerOptions{Level: slog.LevelWarn, ReplaceAttr: messageOnly})
	return web.Serve(l, s, &web.FlagConfig{WebConfigFile: &a.File}, slog.New(handler))
}

// messageOnly leaves out what the log adds itself.
func messageOnly(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && (a.Key == slog.TimeKey || a.Key == slog.LevelKey) {
		return slog.Attr{}
	}
	return a
}
