package monitor

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode/utf8"

	"go.uber.org/zap"

	"tracecheck/monitor/alert"
	"tracecheck/monitor/board"
	"tracecheck/validators"
)

// Bounds of the acknowledgements in a checkpoint.
const (
	mostAcked   = 1000 // of one part
	mostByBytes = 200
	mostWhy     = 2000
)

// acked are the acknowledgements of a part, by fingerprint. The part's mu guards them.
type acked struct {
	all   map[string]board.Acknowledgement
	known map[string]bool // for the runner: the baseline's, and the acknowledged ones
	base  map[string]bool // the baseline's
}

// options returns the settings of the part's runner, with its own list of known violations.
// The list changes only between batches.
func (a *acked) options(judge validators.Options) validators.Options {
	a.base, a.known, a.all = judge.Known, maps.Clone(judge.Known), map[string]board.Acknowledgement{}
	if a.known == nil {
		a.known = map[string]bool{}
	}
	judge.Known = a.known
	return judge
}

func (a *acked) add(k board.Acknowledgement) {
	a.all[k.Fingerprint] = k
	a.known[k.Fingerprint] = true
}

func (a *acked) remove(fingerprint string) {
	delete(a.all, fingerprint)
	if !a.base[fingerprint] {
		delete(a.known, fingerprint)
	}
}

// list returns the acknowledgements in the order of their fingerprints.
func (a *acked) list() (list []board.Acknowledgement) {
	for _, fingerprint := range slices.Sorted(maps.Keys(a.all)) {
		list = append(list, a.all[fingerprint])
	}
	return list
}

// of returns the acknowledgement of the violation, or nil.
func (a *acked) of(v *validators.Violation) *board.Acknowledgement {
	if len(a.all) == 0 {
		return nil
	}
	if k, ok := a.all[v.Fingerprint()]; ok {
		return &k
	}
	return nil
}

// Acknowledge implements board.Acknowledger. Pending alerts of the violation are not sent.
func (m *Monitor) Acknowledge(id, by, why string) (board.Acknowledgement, error) {
	k := board.Acknowledgement{By: strings.TrimSpace(by), Why: strings.TrimSpace(why), At: time.Now().UTC()}
	for _, text := range []struct {
		name, value string
		most        int
	}{{"by", k.By, mostByBytes}, {"why", k.Why, mostWhy}} {
		switch {
		case text.value == "":
			return k, fmt.Errorf("%s is missing: state who acknowledges the violation (by), and for which reason (why)", text.name)
		case len(text.value) > text.most:
			return k, fmt.Errorf("%s is too long: at most %d bytes", text.name, text.most)
		case !utf8.ValidString(text.value):
			return k, fmt.Errorf("%s is not text in UTF-8", text.name)
		}
	}
	var taken []*part
	for _, p := range m.all() {
		is, err := p.acknowledge(id, &k)
		if err != nil {
			return k, err
		}
		if is {
			taken = append(taken, p)
		}
	}
	if len(taken) == 0 {
		return k, board.ErrUnknown
	}
	m.noteAcked("acknowledged", &k, taken)
	return k, nil
}

// acknowledge reports whether the violation is one of the part's latest. It completes the
// acknowledgement.
func (p *part) acknowledge(id string, k *board.Acknowledgement) (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for v := range p.recent.latest {
		fingerprint := v.Fingerprint()
		if v.ID != id && fingerprint != id {
			continue
		}
		if _, again := p.acked.all[fingerprint]; !again && len(p.acked.all) >= mostAcked {
			return false, fmt.Errorf("%s has %d acknowledged violations, which is the most: withdraw some, or write them to a baseline", p.name, mostAcked)
		}
		k.Fingerprint, k.Violation = fingerprint, fmt.Sprintf("%s %s %s: %s", v.Spec, v.Kind, v.Rule, v.Message)
		p.acked.add(*k)
		p.m.opts.Outbox.Withdraw(p.name, func(a *alert.Alert) bool {
			return a.Violation != nil && a.Violation.Fingerprint() == fingerprint
		})
		return true, nil
	}
	return false, nil
}

// Withdraw implements board.Acknowledger.
func (m *Monitor) Withdraw(id string) (k board.Acknowledgement, err error) {
	var taken []*part
	known := false
	for _, p := range m.all() {
		p.mu.Lock()
		fingerprint := id
		for v := range p.recent.latest {
			if v.ID == id {
				fingerprint, known = v.Fingerprint(), true
			}
		}
		if is, ok := p.acked.all[fingerprint]; ok {
			k, taken = is, append(taken, p)
			p.acked.remove(fingerprint)
		}
		p.mu.Unlock()
	}
	switch {
	case len(taken) > 0:
		m.noteAcked("acknowledgement withdrawn", &k, taken)
		return k, nil
	case known:
		return k, board.ErrNotAcknowledged
	}
	return k, board.ErrUnknown
}

// noteAcked logs and shows the change, and begins the next checkpoints of the parts.
func (m *Monitor) noteAcked(what string, k *board.Acknowledgement, parts []*part) {
	for _, p := range parts {
		p.log.Info(what, zap.String("fingerprint", k.Fingerprint), zap.String("violation", k.Violation), zap.String("by", k.By), zap.String("why", k.Why))
		p.saver.hurry()
		p.showAcked()
	}
	m.wake()
}

// showAcked updates the number of acknowledgements in the totals.
func (p *part) showAcked() {
	p.mu.Lock()
	n := len(p.acked.all)
	p.mu.Unlock()
	p.view.mu.Lock()
	p.view.totals.Acked = n
	p.view.mu.Unlock()
}

// Acknowledgements implements board.Acknowledger.
func (m *Monitor) Acknowledgements() (all []board.Acknowledgement) {
	for _, p := range m.all() {
		p.mu.Lock()
		all = append(all, p.acked.list()...)
		p.mu.Unlock()
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].At.After(all[j].At) })
	return slices.CompactFunc(all, func(a, b board.Acknowledgement) bool { return a == b }) // several parts may have the same one
}
