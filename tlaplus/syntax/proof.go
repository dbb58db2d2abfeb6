package syntax

import (
	"math"
	"strconv"
	"strings"
)

// Proofs are read as the grammar has them, so that what follows them is found, and
// left out of the tree.

// Levels of a step whose name has no number.
const (
	levelSame  = -1 // <*>: that of the proof around
	levelBelow = -2 // <+>: one more
)

// stepLevel returns the level of a step's name.
func stepLevel(t *token) int {
	switch t.text[1] {
	case '*':
		return levelSame
	case '+':
		return levelBelow
	}
	n, err := strconv.Atoi(t.text[1:strings.IndexByte(t.text, '>')])
	if err != nil {
		return math.MaxInt
	}
	return n
}

// proofWords are the words that begin a proof.
var proofWords = set("PROOF", "BY", "OBVIOUS", "OMITTED")

// beginsProof reports whether the next token begins a proof: one of the innermost level
// does not.
func (p *parser) beginsProof() bool {
	t := p.raw()
	if t.kind != kindStep {
		return t.isAny(proofWords)
	}
	level := stepLevel(t)
	if len(p.steps) == 0 {
		return true
	}
	current := p.steps[len(p.steps)-1]
	return level == levelBelow || level >= 0 && current >= 0 && level > current
}

// proof reads a proof.
func (p *parser) proof() {
	p.enter()
	p.steps = append(p.steps, -1)
	defer func() {
		p.leave()
		p.steps = p.steps[:len(p.steps)-1]
	}()
	started := p.accept("PROOF")
	switch t := p.raw(); {
	case t.is("BY"):
		p.useOrBy()
		return
	case t.is("OBVIOUS"), t.is("OMITTED"):
		p.take()
		return
	case t.kind != kindStep && started:
		p.fail("a step, BY, OBVIOUS or OMITTED")
	}
	for !p.step() {
	}
}

// step reads a step with its proof, and reports whether it is the last, QED.
func (p *parser) step() (last bool) {
	t := p.raw()
	if t.kind != kindStep {
		p.fail("a step of the proof, or its QED")
	}
	if !p.enterLevel(stepLevel(t)) {
		p.failAt(t.span, "found "+p.describe(t)+", whose level is not that of the proof's steps")
	}
	p.take()
	if p.accept("QED") {
		if p.beginsProof() {
			p.proof()
		}
		return true
	}
	provable := p.stepBody()
	if p.beginsProof() {
		if !provable {
			p.fail("the next step: this one takes no proof")
		}
		p.proof()
	}
	return false
}

// enterLevel reports whether a step of this level belongs to the innermost proof, whose
// level the first step decides.
func (p *parser) enterLevel(level int) bool {
	n := len(p.steps) - 1
	outer := -1
	if n > 0 {
		outer = p.steps[n-1]
	}
	first := p.steps[n] < 0
	switch {
	case level == levelSame || level == levelBelow && first:
		if first {
			p.steps[n] = outer + 1
		}
		return true
	case level == levelBelow:
		return false
	case first:
		p.steps[n] = level
		return level > outer
	}
	return level == p.steps[n]
}

// stepBody reads a step without its name, and reports whether it can have a proof.
func (p *parser) stepBody() (provable bool) {
	t := p.raw()
	switch {
	case t.is("USE"), t.is("HIDE"):
		p.useOrBy()
		return false
	case t.is("INSTANCE"):
		p.instance(t.span.From, false)
		return false
	case t.def, t.is("DEFINE"):
		p.accept("DEFINE")
		if !p.atDefinition() {
			p.fail("a definition")
		}
		for p.atDefinition() {
			p.definition(false)
		}
		return false
	case t.is("HAVE"):
		p.take()
		p.expr()
		return false
	case t.is("WITNESS"):
		p.take()
		p.list(func() { p.expr() })
		return false
	case t.is("TAKE"):
		p.take()
		p.newNames()
		return false
	case t.is("PICK"):
		p.take()
		p.newNames()
		p.expect(":")
		p.expr()
		return true
	case t.is("CASE"):
		p.take()
		p.expr()
		return true
	}
	p.accept("SUFFICES")
	if p.is("ASSUME") {
		p.assumeProve()
	} else {
		p.expr()
	}
	return true
}

// newNames reads the names of TAKE and PICK, with or without bounds.
func (p *parser) newNames() {
	if p.is("<<") || p.atBound() {
		p.bounds()
		return
	}
	p.list(func() { p.ident("a name") })
}

// useOrBy reads BY, USE or HIDE with facts and definitions.
func (p *parser) useOrBy() {
	p.take()
	p.accept("ONLY")
	facts := func() {
		p.list(func() {
			if p.accept("MODULE") {
				p.word("the name of a module")
				return
			}
			if t := p.tok(); t.kind == kindOp && !p.peek(1).is("(") && !t.bullet && t.op.Fixity != Prefix {
				p.take() // an operator's definition
				return
			}
			p.argument()
		})
	}
	if !p.is("DEF") && !p.is("DEFS") {
		facts()
	}
	if p.accept("DEF") || p.accept("DEFS") {
		facts()
	}
}

// assumeProve reads ASSUME … PROVE ….
func (p *parser) assumeProve() {
	p.enter()
	defer p.leave()
	p.expect("ASSUME")
	p.list(func() {
		switch t := p.tok(); {
		case t.is("ASSUME"):
			p.assumeProve()
		case t.kind == kindIdent && p.peek(1).is("::") && p.peek(2).is("ASSUME"):
			p.i += 2
			p.assumeProve()
		case t.isAny(levelWords):
			p.newSymbol()
		default:
			p.expr()
		}
	})
	p.expect("PROVE")
	p.expr()
}

// levelWords begin the declaration of a new symbol in an ASSUME.
var levelWords = set("NEW", "CONSTANT", "CONSTANTS", "VARIABLE", "VARIABLES", "STATE", "ACTION", "ACTIONS", "TEMPORAL", "TEMPORALS")

// newSymbol reads NEW CONSTANT x \in S and its like.
func (p *parser) newSymbol() {
	p.accept("NEW")
	if t := p.tok(); t.isAny(levelWords) && t.text != "NEW" {
		p.take()
	}
	param := p.param()
	if param.Arity == 0 && p.accept(`\in`) {
		p.expr()
	}
}
