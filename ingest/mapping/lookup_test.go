package mapping

import (
	"testing"

	"github.com/tidwall/gjson"
)

// A path that is cut up finds what gjson finds.
func TestLookup(t *testing.T) {
	const line = `{"a.b":{"c":[{"d.e":1},{"d.e":2,"d":{"e":3}}],"a.b":{"x.y.z":"deep"}},"a":{"b":{"c":0}},` +
		`"a.b":"again","q\"u.o":5,".":6,"n.":7,"é.ü":8,"0.1":[9],"l":{"state.x/c1":null}}`
	for _, c := range []struct {
		path  string
		steps int // after the head; -1: gjson reads it
	}{
		{`a`, 0}, {`a.b`, 1}, {`a.b.c`, 1}, {`a.c`, 1}, {`z`, 0}, {`z.y`, 1}, {`a\.b`, 0}, {`a\.b.c`, 1}, {`a\.c`, 0},
		{`a\.b.c.0.d\.e`, 2}, {`a\.b.c.1.d\.e`, 2}, {`a\.b.c.1.d.e`, 1}, {`a\.b.c.2.d\.e`, 2}, {`a\.b.c.-1.d\.e`, 2},
		{`a\.b.a\.b.x\.y\.z`, 2}, {`a\.b.a\.b.x\.y`, 2}, {`a\.b.c.x\.y`, 2}, {`a.b\.c`, 1}, {`\.`, 0}, {`n\.`, 0}, {`é\.ü`, 0},
		{`0\.1.0`, 1}, {`0\.1.0.x\.y`, 2}, {`l.state\.x/c1`, 1}, {`l.state\.x/c2`, 1}, {`l.state\.x/*`, 1},
		{`a\.b.c.#.d\.e`, 1}, {`a\.b.c.#(d\.e==2).d.e`, 1}, {`a\.b.c.@reverse`, 1}, {`a\.b|c`, -1}, {`a.b|c`, 1},
		{`q\"u\.o`, -1}, {`a\.b..c`, -1}, {`..c`, -1}, {`a.`, -1}, {`.a`, -1}, {`@this.a`, -1}, {`*`, -1}, {`#`, -1}, {`0.b`, 1}, {`1`, 0},
	} {
		for _, line := range []string{line, ` [` + line + `,{"b":3}]`, `{}`, `7`, `"a"`, `null`} {
			rules := &Rules{heads: heads{}}
			rules.paths = []lookup{newLookup(c.path, rules.heads.place)}
			k := &rules.paths[0]
			if steps := len(k.steps); k.head < 0 && c.steps != -1 || k.head >= 0 && c.steps != steps {
				t.Errorf("%s: head %d and %d steps, want %d", c.path, k.head, steps, c.steps)
			}
			l := newLine(rules)
			l.set(line)
			got, want := l.get(0), gjson.Get(line, c.path)
			if got.Exists() != want.Exists() || got.Type != want.Type || got.Raw != want.Raw || got.Str != want.Str || got.Num != want.Num {
				t.Errorf("%s in %s: got %+v, gjson %+v", c.path, line, got, want)
			}
		}
	}
}
