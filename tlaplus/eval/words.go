package eval

import (
	_ "embed"
	"slices"
	"strings"

	"tracecheck/tlaplus/syntax"
)

// The order of strings decides CHOOSE. TLC orders them as they first appear: those of the
// cfg, then each word and number of the modules, by the order in which these are parsed,
// then the strings in the modules, and at last those that an evaluation makes.

// wordsOfNatives has, for each native module, the modules that it extends, those that it
// instantiates, the words and numbers of its text as they first appear, and its strings.
//
//go:embed words.txt
var wordsOfNatives string

// words is what the order needs of a module.
type words struct {
	extends, instances []string
	words, strings     []string
}

// wordsOf are those of a module, nil where there is none of that name.
func (p *Program) wordsOf(name string) *words {
	if m, _ := p.ofFile(name); m != nil { // an error is reported where the module is used
		return p.wordsOfText(m)
	}
	at := strings.Index("\n"+wordsOfNatives, "\n"+name+"|")
	if at < 0 || natives()[name] == nil {
		return nil
	}
	line, _, _ := strings.Cut(wordsOfNatives[at:], "\n")
	list := append(strings.Split(line, "|")[1:], "", "", "")
	return &words{strings.Fields(list[0]), strings.Fields(list[1]), strings.Fields(list[2]), strings.Fields(list[3])}
}

func (p *Program) wordsOfText(m *syntax.Module) *words {
	w := &words{}
	for _, id := range m.Extends {
		w.extends = append(w.extends, id.Name)
	}
	lines := p.texts[m.File]
	lines = lines[m.From.Line-1 : min(m.To.Line, len(lines))]
	tokens, _ := syntax.Tokens(m.File, []byte(strings.Join(lines, "\n")))
	for i := range tokens {
		switch t := &tokens[i]; {
		case t.Kind == syntax.StringToken:
			w.strings = append(w.strings, t.Text)
		case t.Kind != syntax.SymbolToken:
			w.words = append(w.words, t.Text)
			if i > 0 && tokens[i-1].Text == "INSTANCE" && tokens[i-1].Kind == syntax.WordToken {
				w.instances = append(w.instances, t.Text)
			}
		}
	}
	return w
}

// orderStrings gives the strings of the texts their order.
func (p *Program) orderStrings() {
	for _, name := range []string{"STRING", "FALSE", "TRUE", "BOOLEAN"} {
		p.Space.Place(name)
	}
	known := map[string]*words{}
	parse := func(name string) {
		if known[name] = p.wordsOf(name); known[name] == nil {
			known[name] = &words{}
		}
		for _, word := range known[name].words {
			p.Space.Place(word)
		}
	}
	for next := p.root.syn.Name; next != ""; {
		parse(next)
		if next = unparsed(p.root.syn.Name, known, true, map[string]bool{}); next == "" {
			next = unparsed(p.root.syn.Name, known, false, map[string]bool{})
		}
	}
	done := map[string]bool{}
	var analyse func(name string)
	analyse = func(name string) {
		if done[name] {
			return
		}
		done[name] = true
		for _, other := range slices.Concat(known[name].extends, known[name].instances) {
			analyse(other)
		}
		for _, s := range known[name].strings {
			p.Space.Place(s)
		}
	}
	analyse(p.root.syn.Name)
	if known["Json"] != nil {
		for _, name := range strings.Fields(jsonWords) {
			p.Space.Place(name)
		}
	}
}

// jsonWords are fields that TLC knows before the module Json reads a file.
const jsonWords = "beginLine beginColumn endLine endColumn module name location context _action"

// unparsed is the next module that one known from here on extends, or instantiates; "": none.
func unparsed(from string, known map[string]*words, extends bool, visited map[string]bool) string {
	w := known[from]
	if w == nil || visited[from] {
		return ""
	}
	visited[from] = true
	list := w.instances
	if extends {
		list = w.extends
	}
	for _, name := range list {
		if known[name] == nil {
			return name
		}
	}
	for _, name := range slices.Concat(w.extends, w.instances) {
		if next := unparsed(name, known, extends, visited); next != "" {
			return next
		}
	}
	return ""
}
