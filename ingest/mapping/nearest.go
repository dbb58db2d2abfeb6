package mapping

import "fmt"

// Nearest returns the nearest rule for a line that no rule matches, with its first failed
// condition. The nearest rule has the fewest failed conditions. If several do, it has the
// most conditions that hold.
func (d *Decoder) Nearest(text []byte) string {
	r, l := d.rules, &d.line
	json, _ := d.read(text) // Map has read it
	l.set(string(json))
	best, bestHeld, bestFailed, why := -1, 0, 0, ""
	for i := range r.rules {
		c := r.rules[i].when
		if c == nil {
			continue
		}
		held, failed, text := c.explain(l)
		if best < 0 || failed < bestFailed || failed == bestFailed && held > bestHeld {
			best, bestHeld, bestFailed, why = i, held, failed, text
		}
	}
	if best < 0 {
		return ""
	}
	return fmt.Sprintf("nearest is %s, but not: %s", &r.rules[best], why)
}

// explain counts the tests that hold and that fail. why describes the first failed one.
func (c *cond) explain(l *line) (held, failed int, why string) {
	switch c.op {
	case opAll:
		for i := range c.kids {
			h, f, w := c.kids[i].explain(l)
			held, failed = held+h, failed+f
			if why == "" {
				why = w
			}
		}
		return held, failed, why
	case opAny:
		if c.holds(l) {
			return 1, 0, ""
		}
		least := 0
		for i := range c.kids {
			if _, f, w := c.kids[i].explain(l); why == "" || f < least {
				least, why = f, w
			}
		}
		return 0, 1, why
	}
	if c.holds(l) {
		return 1, 0, ""
	}
	if c.op == opNot {
		return 0, 1, fmt.Sprintf("not (line %d), whose condition holds", c.line)
	}
	v := l.get(c.path)
	is := "is not there"
	if v.Exists() {
		is = "is " + excerpt(v.Raw)
	}
	return 0, 1, fmt.Sprintf("%s %s (line %d), which %s", &l.paths[c.path], c.text, c.line, is)
}
