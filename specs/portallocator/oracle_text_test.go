package portallocator_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tracecheck/specs/internal/oracle"
)

// portsOf reads "NAME NUMBER[/PROTOCOL][ host]", separated by commas; number 0
// is dynamic, and tcp goes without saying.
func portsOf(text string) []oPort {
	ports := []oPort{}
	for _, part := range strings.Split(text, ",") {
		w := strings.Fields(part)
		if len(w) == 0 {
			continue
		}
		number, protocol, found := strings.Cut(w[1], "/")
		if !found {
			protocol = "tcp"
		}
		n, err := strconv.Atoi(number)
		if err != nil {
			panic(err)
		}
		p := oPort{w[0], protocol, "ingress", n}
		if len(w) > 2 {
			p.mode = w[2]
		}
		ports = append(ports, p)
	}
	return ports
}

// stateOf reads "ID: SPEC -> PORTS", separated by semicolons, and what else is
// allocated.
func stateOf(text string, also ...string) oState {
	s := newOState()
	for _, part := range strings.Split(text, ";") {
		id, rest, ok := strings.Cut(part, ":")
		if !ok {
			continue
		}
		spec, ports, _ := strings.Cut(rest, "->")
		e := oEndpoint{portsOf(spec), portsOf(ports)}
		s.endpoints[strings.TrimSpace(id)] = e
		s.allocated = s.allocated.plus(ingressAddrs(e.ports))
	}
	for _, a := range also {
		s.allocated[a] = true
	}
	return s
}

var small = oModel{[]string{"tcp", "udp"}, 30000, 30001}

// What is read off the module by hand, above all where a reader might guess
// wrong.
func TestAllocateToTheLetter(t *testing.T) {
	for _, c := range []struct{ name, from, to, want string }{
		{"a static number", "", "a: foo 80 -> foo 80", "NewEndpoint"},
		{"any dynamic number", "", "a: foo 0 -> foo 30001", "NewEndpoint"},
		{"but no static one", "", "a: foo 0 -> foo 80", ""},
		{"a static number within the dynamic range", "", "a: foo 30000 -> foo 30000", "NewEndpoint"},
		{"taken by another", "a: foo 30000 -> foo 30000", "a: foo 30000 -> foo 30000; b: foo 0 -> foo 30000", ""},
		{"of another protocol", "a: foo 30000 -> foo 30000", "a: foo 30000 -> foo 30000; b: foo 0/udp -> foo 30000/udp", "NewEndpoint"},
		{"a host port is copied", "", "a: foo 0 host -> foo 0 host", "NewEndpoint"},
		{"and gets no number", "", "a: foo 0 host -> foo 30000 host", ""},
		{"host ports collide freely", "", "a: foo 80 host, foo 80 host, bar 80 -> foo 80 host, foo 80 host, bar 80", "NewEndpoint"},
		{"the same address twice", "", "a: foo 80, bar 80 -> foo 80, bar 80", ""},
		{"the same dynamic number twice", "", "a: foo 0, bar 0 -> foo 30000, bar 30000", ""},
		{"one dynamic, one static", "", "a: foo 30000, bar 0 -> foo 30000, bar 30000", ""},

		{"recovered", "a: foo 0 -> foo 30000", "a: foo 0, bar 0 -> foo 30000, bar 30001", "UpdateEndpoint"},
		{"it must be", "a: foo 0 -> foo 30000", "a: foo 0, bar 0 -> foo 30001, bar 30000", ""},
		{"needed elsewhere", "a: foo 0 -> foo 30000", "a: foo 0, bar 30000 -> foo 30001, bar 30000", "UpdateEndpoint"},
		{"the first of similar ones is", "a: foo 0 -> foo 30000", "a: foo 0, foo 0 -> foo 30000, foo 30001", "UpdateEndpoint"},
		{"not the second", "a: foo 0 -> foo 30001", "a: foo 0, foo 0 -> foo 30000, foo 30001", ""},
		{"nor may the two change places", "a: foo 0, foo 0 -> foo 30000, foo 30001", "a: foo 0, foo 0 -> foo 30001, foo 30000", ""},
		{"a dynamic port gets a static number", "a: foo 80, foo 0 -> foo 80, foo 30000", "a: foo 0 -> foo 80", "UpdateEndpoint"},
		{"and does not keep its own", "a: foo 80, foo 0 -> foo 80, foo 30000", "a: foo 0 -> foo 30000", ""},
		{"unless that comes first", "a: foo 0, foo 80 -> foo 30000, foo 80", "a: foo 0 -> foo 30000", "UpdateEndpoint"},
		{"only from a spec that had it dynamic", "a: foo 80 -> foo 80", "a: foo 0 -> foo 80", ""},
		{"a port of another protocol is not similar", "a: foo 80/udp, foo 0 -> foo 80/udp, foo 30000", "a: foo 0 -> foo 30000", "UpdateEndpoint"},
		{"nor is a host port", "a: foo 80 host, foo 0 -> foo 80 host, foo 30000", "a: foo 0 -> foo 80", ""},
		{"a port may change its place", "a: foo 80, bar 81 -> foo 80, bar 81", "a: bar 80, foo 81 -> bar 80, foo 81", "UpdateEndpoint"},

		{"removed", "a: foo 80 -> foo 80; b: -> ", "b: -> ", "RemoveEndpoint"},
		{"two at once", "", "a: -> ; b: -> ", ""},
		{"two removed at once", "a: -> ; b: -> ", "", ""},
		{"nothing", "a: foo 0 -> foo 30000", "a: foo 0 -> foo 30000", "UpdateEndpoint"},
	} {
		from, to := stateOf(c.from), stateOf(c.to)
		if got := actionNames(small.explains(from, to)); !slices.Equal(got, strings.Fields(c.want)) {
			t.Errorf("%s: explained by %v, want %q", c.name, got, c.want)
		}
	}
}

// AllocateIdempotent breaks where the text says so, and where it does not.
func TestIdempotentToTheLetter(t *testing.T) {
	for _, c := range []struct {
		name, from, to string
		want           bool
	}{
		{"two similar specs", "a: foo 0, foo 0 -> foo 80, foo 30000", "a: foo 0, foo 0 -> foo 80, foo 30001", false},
		{"one static, one dynamic", "a: foo 80, foo 0 -> foo 80, foo 30000", "a: foo 80, foo 0 -> foo 80, foo 30000", true},
		{"the first old port is not one's own", "a: bar 0, foo 0 -> bar 30000, foo 30001", "a: bar 0, foo 0 -> bar 30000, foo 30001", true},
	} {
		from, to := stateOf(c.from), stateOf(c.to)
		if got := actionNames(small.explains(from, to)); !slices.Equal(got, []string{"UpdateEndpoint"}) {
			t.Errorf("%s: explained by %v", c.name, got)
		}
		if got := idempotent(from, to); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestAllocationsOKToTheLetter(t *testing.T) {
	for _, c := range []struct {
		name  string
		state oState
		want  bool
	}{
		{"Init", newOState(), true},
		{"what only a host port uses", stateOf("a: foo 80 host -> foo 80 host", "tcp/80"), true},
		{"what nobody uses", stateOf("a: foo 81 host -> foo 81 host", "tcp/80"), false},
		{"ingress and host", stateOf("a: foo 80 host -> foo 80 host; b: foo 80 -> foo 80"), true},
		{"two ingress", stateOf("a: foo 80 -> foo 80; b: foo 80 -> foo 80"), false},
		{"two of one endpoint", stateOf("a: foo 80, bar 80 -> foo 80, bar 80"), false},
		{"fewer ports", stateOf("a: foo 80, bar 81 -> foo 80"), false},
		{"another name", stateOf("a: foo 0 -> bar 30000"), false},
		{"another number", stateOf("a: foo 80 -> foo 81"), false},
		{"a static number for a dynamic port", stateOf("a: foo 0 -> foo 80"), true},
		{"not allocated", oState{stateOf("a: foo 80 -> foo 80").endpoints, set{}}, false},
	} {
		if got := c.state.allocationsOK(); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestRefusalsToTheLetter(t *testing.T) {
	for _, c := range []struct {
		name, state, id, spec string
		want                  bool
	}{
		{"free", "", "a", "foo 80", false},
		{"in use", "b: foo 80 -> foo 80", "a", "foo 80", true},
		{"by itself", "a: foo 80 -> foo 80", "a", "bar 80", false},
		{"as a host port", "b: foo 80 host -> foo 80 host", "a", "foo 80", false},
		{"for a host port", "b: foo 80 -> foo 80", "a", "foo 80 host", false},
		{"twice", "", "a", "foo 80, bar 80", true},
		{"two of two", "", "a", "foo 0, foo 0", false},
		{"three of two", "", "a", "foo 0, foo 0, foo 0", true},
		{"of two protocols", "", "a", "foo 0, foo 0, foo 0/udp", false},
		{"two of one that is left", "b: foo 0 -> foo 30000", "a", "foo 0, foo 0", true},
		{"one is asked for by number", "", "a", "foo 0, foo 0, bar 30000", true},
		{"its own", "a: foo 0, bar 0 -> foo 30000, bar 30001", "a", "foo 0, x 0", false},
		{"an over-estimate: one recovers a static number", "a: foo 0 -> foo 80; b: foo 0 -> foo 30000", "a", "foo 0, bar 0", false},
	} {
		if got := small.refusalJustified(stateOf(c.state), c.id, portsOf(c.spec)); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestBatchedToTheLetter(t *testing.T) {
	const full = "f: x 30000, y 30001 -> x 30000, y 30001;"
	for _, c := range []struct {
		name, from, to string
		remade         string
		claims         []oClaim
		want           answer
	}{
		{"two swap their ports", "a: foo 80 -> foo 80; b: foo 81 -> foo 81", "a: foo 81 -> foo 81; b: foo 80 -> foo 80", "", nil, yes},
		{"one that stays is in the way", "a: foo 80 -> foo 80; b: foo 81 -> foo 81", "a: foo 81 -> foo 81; b: foo 81 -> foo 81", "", nil, no},
		{"a number is changed by way of another spec", "a: foo 0 -> foo 30000", "a: foo 0 -> foo 30001", "", nil, yes},
		{"a static number, by recovery", "a: bar 1 -> bar 1", "a: foo 0 -> foo 80", "", nil, yes},
		{"from nothing", "", "a: foo 0 -> foo 80", "", nil, yes},
		{"for the second of two, never", "", "a: foo 0, foo 0 -> foo 30000, foo 80", "", nil, no},
		{"without a dynamic number, never", full, full + "a: foo 0 -> foo 80", "", nil, no},
		{"unless it was held", full + "a: foo 0 -> foo 80", full + "a: foo 0 -> foo 81", "", nil, yes},
		{"and not given up", full + "a: foo 0 -> foo 80", full + "a: foo 0 -> foo 81", "a", nil, no},
		{"two that hold numbers swap them", full + "a: foo 0 -> foo 80; b: bar 0 -> bar 81", full + "a: foo 0 -> foo 81; b: bar 0 -> bar 80", "", nil, yes},
		{"the range is freed on the way", full + "a: -> ", "a: foo 0 -> foo 80", "", nil, yes},
		{"the allocator's extras stay", "a: foo 80 host -> foo 80 host", "a: foo 80 -> foo 80", "", nil, yes},

		{"created by an update", "", "a: foo 80 -> foo 80", "", []oClaim{{"a", "UpdateEndpoint"}}, yes},
		{"created and removed before", "", "a: foo 80 -> foo 80", "", []oClaim{{"a", "RemoveEndpoint"}}, yes},
		{"an updated object exists throughout", "a: -> ", "a: foo 80 -> foo 80", "", []oClaim{{"a", "RemoveEndpoint"}}, no},
		{"recreated", "a: -> ", "a: foo 80 -> foo 80", "a", []oClaim{{"a", "NewEndpoint"}}, yes},
		{"allocated changes on the way", "a: -> ", "", "", []oClaim{{"", "NewEndpoint"}}, yes},
		{"but is created by none", "a: -> ", "a: foo 80 -> foo 80", "", []oClaim{{"", "NewEndpoint"}}, no},
		{"of an endpoint that stays", "a: -> ", "a: -> ; b: -> ", "", []oClaim{{"a", "UpdateEndpoint"}}, no},
	} {
		b := oBatch{model: small, from: stateOf(c.from), to: stateOf(c.to), claims: c.claims, cap: 100000, remade: set{}}
		if c.remade != "" {
			b.remade[c.remade] = true
		}
		if got := b.explained(); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// The one argument that the oracle's search uses is what the search finds.
func TestBatchedNeedsNoArgument(t *testing.T) {
	answers := map[answer]int{}
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 3))
		w := randomModel(rng)
		w.model.protocols, w.model.last, w.names, w.statics, w.maxPorts = w.model.protocols[:1], w.model.first+1, w.names[:1], w.statics[:1], 1
		w.ids = []string{"e1", "e2"}
		w.start(true)
		b := oBatch{model: w.model, from: w.state, cap: 20000}
		w.start(false)
		b.to = w.state
		if e1, e2 := b.to.endpoints["e1"], b.to.endpoints["e2"]; len(e1.ports) > 0 && oracle.Chance(rng, 0.7) {
			switch { // in each other's way, or not what was asked for
			case len(e2.ports) > 0:
				b.to.endpoints["e2"] = e1
			case oracle.Chance(rng, 0.5):
				e1.ports = nil
				b.to.endpoints["e1"] = e1
			default:
				e1.ports = []oPort{{"other", "tcp", "ingress", w.model.first}}
				b.to.endpoints["e1"] = e1
			}
		}
		b.to.allocated = nil
		argued := b.explained()
		b.plain, b.ends = true, nil
		searched := b.explained()
		if argued != searched && argued != unknown && searched != unknown {
			t.Fatalf("seed %d: %v, and %v by the search alone\n%v\n%v", seed, argued, searched, b.from, b.to)
		}
		answers[searched]++
	}
	if answers[yes] < 10 || answers[no] < 10 {
		t.Errorf("answers were %v: too one-sided to show anything", answers)
	}
}
