package syntax

import (
	"bufio"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestZZGen(t *testing.T) {
	dir := os.Getenv("ZZ")
	if dir == "" || os.Getenv("ZZCMP") != "" {
		t.Skip()
	}
	seed, _ := strconv.Atoi(os.Getenv("ZZSEED"))
	n, _ := strconv.Atoi(os.Getenv("ZZN"))
	r := rand.New(rand.NewSource(int64(seed)))
	var texts []string
	for _, c := range corpus(t) {
		if len(c.text) < 1500 && strings.Contains(c.text, "MODULE") {
			texts = append(texts, c.text)
		}
	}
	files, _ := filepath.Glob(filepath.Join(material(t), "*", "*", "*", "*.tla"))
	for _, f := range files {
		b, _ := os.ReadFile(f)
		if len(b) < 6000 && strings.Contains(string(b), "MODULE") {
			texts = append(texts, string(b))
		}
	}
	os.MkdirAll(dir, 0o755)
	list, _ := os.Create(filepath.Join(dir, "list"))
	var ops []string
	for _, o := range Operators {
		ops = append(ops, o.Name)
	}
	for i := range n {
		var text string
		if i%3 == 0 {
			text = "---- MODULE Test ----\nop ==\n" + randExpr(r, ops) + "\n===="
		} else {
			text = mutate(r, texts[r.Intn(len(texts))], texts[r.Intn(len(texts))])
		}
		f := filepath.Join(dir, fmt.Sprintf("m%05d.tla", i))
		os.WriteFile(f, []byte(text), 0o644)
		fmt.Fprintln(list, f)
	}
	list.Close()
}

func randExpr(r *rand.Rand, ops []string) string {
	var b strings.Builder
	n := 2 + r.Intn(4)
	for i := 0; i < n; i++ {
		if i > 0 {
			for {
				o := Operators[r.Intn(len(Operators))]
				if o.Fixity == Infix {
					s := o.Name
					if len(o.Spellings) > 0 && r.Intn(3) == 0 {
						s = o.Spellings[r.Intn(len(o.Spellings))]
					}
					if r.Intn(4) == 0 {
						b.WriteString("\n" + strings.Repeat(" ", r.Intn(6)))
					}
					b.WriteString(" " + s + " ")
					break
				}
			}
		}
		for r.Intn(4) == 0 {
			b.WriteString([]string{"~", "[]", "<>", "ENABLED", "UNCHANGED", "SUBSET", "UNION", "DOMAIN", "-"}[r.Intn(9)] + " ")
		}
		b.WriteString([]string{"a", "b", "f[x]", "g(y)", "r.c", "(d)", "<<e>>", "1", "l :: m", "\n  /\\ p\n  /\\ q\n", "[A]_v", "WF_v(B)", "{x \\in S : y}", "IF a THEN b ELSE c", "\\E x \\in S : x", "[f EXCEPT ![1] = 2]", "M!N", "CASE a -> b [] c -> d"}[r.Intn(18)])
		for r.Intn(5) == 0 {
			b.WriteString([]string{"'", "^+", "^*", "[z]", ".w"}[r.Intn(5)])
		}
	}
	return b.String()
}

func mutate(r *rand.Rand, text, other string) string {
	if r.Intn(3) == 0 { // shift a line
		lines := strings.Split(text, "\n")
		for range 1 + r.Intn(2) {
			i := r.Intn(len(lines))
			if r.Intn(2) == 0 {
				lines[i] = strings.Repeat(" ", 1+r.Intn(3)) + lines[i]
			} else {
				k := 0
				for k < 2 && strings.HasPrefix(lines[i][k:], " ") {
					k++
				}
				lines[i] = lines[i][k:]
			}
		}
		return strings.Join(lines, "\n")
	}
	toks := lexModule([]byte(text))
	ot := lexModule([]byte(other))
	if len(toks) < 8 || len(ot) < 8 {
		return text
	}
	i := 3 + r.Intn(len(toks)-5)
	tk := toks[i]
	o := ot[3+r.Intn(len(ot)-5)]
	s := other[o.from:o.to]
	switch r.Intn(4) {
	case 0:
		return text[:tk.from] + text[tk.to:]
	case 1:
		return text[:tk.from] + s + text[tk.to:]
	case 2:
		return text[:tk.from] + s + " " + text[tk.from:]
	default:
		nx := toks[i+1]
		return text[:tk.from] + text[nx.from:nx.to] + text[tk.to:nx.from] + text[tk.from:tk.to] + text[nx.to:]
	}
}

func TestZZCmp(t *testing.T) {
	dir := os.Getenv("ZZ")
	if dir == "" || os.Getenv("ZZCMP") == "" {
		t.Skip()
	}
	f, _ := os.Open(filepath.Join(dir, "out"))
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<26)
	n, acc, sameTree, noTree, bad := 0, 0, 0, 0, 0
	for sc.Scan() {
		p := strings.SplitN(sc.Text(), "\t", 3)
		text, _ := os.ReadFile(p[0])
		m, err := Parse(p[0], text)
		n++
		ours := "accept"
		if err != nil {
			ours = "reject"
		}
		if strings.HasPrefix(p[1], "accept") {
			acc++
		}
		if !strings.HasPrefix(p[1], ours) {
			bad++
			fmt.Printf("=== %s SANY %s, we %s %v\n", p[0], p[1], ours, err)
			continue
		}
		if ours == "accept" {
			if !strings.HasPrefix(p[2], "(") {
				noTree++
				continue
			}
			want := parseTree(p[2]).normal().String()
			if got := moduleTree(m, true).String(); got != want {
				bad++
				fmt.Printf("=== %s TREE\n%s\n--- want\n%s\n", p[0], got, want)
			} else {
				sameTree++
			}
		}
	}
	fmt.Printf("%d texts, %d accepted, %d same trees, %d without tree, %d bad\n", n, acc, sameTree, noTree, bad)
}
