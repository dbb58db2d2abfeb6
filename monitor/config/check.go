package config

import (
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"tracecheck/internal/flagvalue"
	"tracecheck/monitor/alert"
	"tracecheck/monitor/web"
	"tracecheck/tlaplus/moduleflags"
)

// Check checks the combination of the flags.
func (m *Flags) Check() error {
	for _, check := range []func() error{
		m.checkSource, m.checkBind, m.checkTopics, m.checkCheckpoints, m.checkAlerts, m.checkPublicURL, m.checkWebhooks, m.checkListen,
	} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// checkSource checks that there is one source, and no flag for another one.
func (m *Flags) checkSource() error {
	k := &m.kafka
	brokers := len(k.Brokers.Values) > 0
	var kinds []string
	for _, kind := range []struct {
		flag  string
		given bool
	}{{"kafka", brokers}, {"follow", len(m.follow) > 0}, {"swarm", m.socket != ""}} {
		if kind.given {
			kinds = append(kinds, kind.flag)
		}
	}
	switch {
	case len(kinds) > 1:
		return m.Fault(kinds[1], "a monitor has one source, but --%s is also set", kinds[0])
	case brokers:
	case k.Given() != "":
		return m.Fault(strings.TrimPrefix(k.Given(), "--"), "this is about Kafka: name its brokers with --kafka")
	case m.group != "":
		return m.Fault("group", "this is about Kafka: name its brokers with --kafka")
	}
	switch {
	case len(kinds) == 0:
		return errors.New("nothing to judge: name a Kafka cluster's brokers with --kafka, a file with --follow, or a swarm's socket with --swarm")
	case m.rules != "" && len(m.follow) == 0:
		return m.Fault("map", "this is for logs in files: name them with --follow")
	case m.stream != "" && m.socket == "":
		return m.Fault("stream", "this names the stream of a swarm: name its socket with --swarm")
	case slices.Contains(m.follow, "-"):
		return m.Fault("follow", "standard input cannot be read again after a restart: name a file")
	}
	return nil
}

// checkBind checks that no flag contradicts a bind file, or needs a missing one.
func (m *Flags) checkBind() error {
	if m.module.Bind == "" {
		if flag := m.module.AboutBind(); flag != "" {
			return m.Fault(flag, "this is about a TLA+ module: name a bind file with --bind")
		}
		return nil
	}
	for _, f := range m.List {
		name := f.Names()[0]
		if _, given := m.origins[name]; given && m.module.Unfit(name) && name != "config" { // here, --config is the monitor's
			return m.Fault(name, "this "+moduleflags.UnfitText)
		}
	}
	return nil
}

// checkTopics checks that topics to write to need Kafka, and that all topics differ.
func (m *Flags) checkTopics() error {
	seen := map[string]string{}
	for _, t := range m.kafka.Topics.Values {
		seen[t] = "topic"
	}
	for _, t := range m.written() {
		switch {
		case len(m.kafka.Brokers.Values) == 0:
			return m.Fault(t.flag, "this is a topic of the Kafka cluster that is judged: set --kafka")
		case seen[t.topic] != "":
			return m.Fault(t.flag, "%s is the --%s, too: use a separate topic for each", t.topic, seen[t.topic])
		}
		seen[t.topic] = t.flag
	}
	return nil
}

// written returns the topics to write to.
func (m *Flags) written() []flagTopic {
	return slices.DeleteFunc([]flagTopic{
		{"checkpoint-topic", m.checkpointTopic}, {"dead-letter-topic", m.deadLetterTopic}, {"alert-topic", m.alertTopic},
	}, func(t flagTopic) bool { return t.topic == "" })
}

type flagTopic struct{ flag, topic string }

func (m *Flags) checkCheckpoints() error {
	switch {
	case m.checkpoint != "" && m.checkpointTopic != "":
		return m.Fault("checkpoint-topic", "checkpoints are stored in one place, but --checkpoint is also set")
	case m.noCheckpoint && m.checkpoint != "":
		return m.Fault("no-checkpoint", "--checkpoint is also set: use only one of them")
	case m.noCheckpoint && m.checkpointTopic != "":
		return m.Fault("no-checkpoint", "--checkpoint-topic is also set: use only one of them")
	case m.noCheckpoint && m.StartOver:
		return m.Fault("start-over", "--no-checkpoint is also set: each run starts over")
	case m.noCheckpoint && time.Duration(m.checkpointEvery) != defaultCheckpointEvery:
		return m.Fault("checkpoint-every", "--no-checkpoint is also set: no checkpoint is written")
	case m.group != "" && m.checkpointTopic == "":
		return m.Fault("group", "a partition may go to another monitor, which resumes from its checkpoint: set --checkpoint-topic")
	case m.checkpoint == "" && m.checkpointTopic == "" && !m.noCheckpoint:
		return errors.New("no place for checkpoints: name a file with --checkpoint or, with --kafka, a topic with --checkpoint-topic; --no-checkpoint stores none")
	}
	return nil
}

func (m *Flags) checkAlerts() error {
	switch {
	case m.alerts == "":
		return m.Fault("alerts", "name a file, - for standard output, or none")
	case m.deadLetters == "-":
		return m.Fault("dead-letters", "standard output is for alerts: name a file")
	}
	return nil
}

func (m *Flags) checkWebhooks() error {
	if len(m.webhooks) == 0 {
		for _, f := range []struct {
			flag  string
			given bool
		}{
			{"webhook-token-file", m.webhookToken != ""}, {"webhook-ca", m.webhookCA != ""}, {"webhook-label", len(m.webhookLabels) > 0},
			{"webhook-resolve", time.Duration(m.webhookResolve) != defaultWebhookResolve},
		} {
			if f.given {
				return m.Fault(f.flag, "this flag is for webhooks: add --webhook URL")
			}
		}
	}
	var hosts []string
	for _, o := range m.webhookOptions() {
		u, err := httpURL(o.URL, "http://alertmanager:9093/api/v2/alerts")
		switch {
		case err != nil:
			return m.Fault("webhook", "%w", err)
		case slices.Contains(hosts, u.Host):
			return m.Fault("webhook", "%s has two webhooks: use one for each host and port", u.Host)
		case m.webhookCA != "" && u.Scheme == "http":
			return m.Fault("webhook-ca", "--webhook is not an https URL, so there is no certificate to check")
		}
		if _, err := alert.NewWebhook(o); err != nil { // it does not connect
			return m.Fault("webhook", "%w", err)
		}
		hosts = append(hosts, u.Host)
	}
	return nil
}

// webhookOptions returns the options of each webhook.
func (m *Flags) webhookOptions() (list []alert.WebhookOptions) {
	for _, text := range m.webhooks {
		list = append(list, alert.WebhookOptions{
			URL: text, TokenFile: m.webhookToken, CA: m.webhookCA,
			PublicURL: m.publicURL, ResolveAfter: time.Duration(m.webhookResolve), Labels: m.webhookLabels,
		})
	}
	return list
}

func (m *Flags) checkPublicURL() error {
	if m.publicURL == "" {
		return nil
	}
	u, err := httpURL(m.publicURL, "https://monitor.example.org")
	switch {
	case err != nil:
		return m.Fault("public-url", "%w", err)
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return m.Fault("public-url", "all readers of alerts get it: it may have no login, no query and no fragment")
	case m.listen == flagvalue.None:
		return m.Fault("public-url", "there is no page to link to: --listen is none")
	}
	return nil
}

// httpURL parses a URL. Its error does not show the URL, which may have a password.
func httpURL(s, example string) (*url.URL, error) {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return nil, errors.New("this is not an http or https URL, such as " + example)
	}
	if strings.Contains(s, mask) {
		return nil, errors.New("a part of it is masked by " + mask + ", as it was printed: write the secret itself there")
	}
	return u, nil
}

func (m *Flags) checkListen() error {
	if m.listen == flagvalue.None {
		switch {
		case m.ListenRemote:
			return m.Fault("listen-remote", "--listen is none, so there is no page: leave one of the two out")
		case len(m.listenHosts.Values) > 0:
			return m.Fault("listen-host", "--listen is none, so there is no page: leave one of the two out")
		case m.webConfig != "":
			return m.Fault("web-config", "--listen is none, so there is no page: leave one of the two out")
		}
		return nil
	}
	if err := web.Check(m.listen, true); err != nil {
		return m.Fault("listen", "%w; %s serves nothing", err, flagvalue.None)
	}
	if err := web.Check(m.listen, m.ListenRemote); err != nil {
		return m.Fault("listen", "%w, with --listen-remote", err)
	}
	return nil
}

// isLoopback reports whether only this machine can reach the host.
func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// hostOf returns the host of the URL, if any.
func hostOf(text string) []string {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" {
		return nil
	}
	return []string{u.Hostname()}
}
