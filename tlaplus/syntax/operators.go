package syntax

// Fixity is the position of an operator's arguments.
type Fixity int

// The fixities.
const (
	Prefix Fixity = iota + 1
	Infix
	Postfix
)

// Operator is an operator symbol of the grammar. Precedences are 1 (binds least)
// to 17. Of two neighbours the one whose range lies above the other's binds
// stronger; where the ranges overlap, the expression needs parentheses.
type Operator struct {
	Name      string // the canonical spelling
	Fixity    Fixity
	Low, High int  // the range of precedences
	Left      bool // a op b op c is (a op b) op c; else it is an error
	Spellings []string
}

// Operators are all operators of the grammar, once each.
var Operators = []Operator{
	{"-.", Prefix, 12, 12, false, nil},
	{"~", Prefix, 4, 4, false, []string{`\lnot`, `\neg`, "¬"}},
	{"[]", Prefix, 4, 15, false, []string{"□"}},
	{"<>", Prefix, 4, 15, false, []string{"◇"}},
	{"ENABLED", Prefix, 4, 15, false, nil},
	{"UNCHANGED", Prefix, 4, 15, false, nil},
	{"SUBSET", Prefix, 10, 13, false, nil},
	{"UNION", Prefix, 10, 13, false, nil},
	{"DOMAIN", Prefix, 10, 13, false, nil},

	{"'", Postfix, 15, 15, false, nil},
	{"^+", Postfix, 15, 15, false, []string{"⁺"}},
	{"^*", Postfix, 15, 15, false, nil},
	{"^#", Postfix, 15, 15, false, nil},

	{"=>", Infix, 1, 1, false, []string{"⇒"}},
	{"~>", Infix, 2, 2, false, []string{"↝"}},
	{"-+->", Infix, 2, 2, false, []string{"⇸"}},
	{"<=>", Infix, 2, 2, false, []string{`\equiv`, "≡", "⇔"}},
	{`/\`, Infix, 3, 3, true, []string{`\land`, "∧"}},
	{`\/`, Infix, 3, 3, true, []string{`\lor`, "∨"}},

	{"=", Infix, 5, 5, false, nil},
	{"#", Infix, 5, 5, false, []string{"/=", "≠"}},
	{`\in`, Infix, 5, 5, false, []string{"∈"}},
	{`\notin`, Infix, 5, 5, false, []string{"∉"}},
	{`\subseteq`, Infix, 5, 5, false, []string{"⊆"}},
	{"<", Infix, 5, 5, false, nil},
	{">", Infix, 5, 5, false, nil},
	{"=<", Infix, 5, 5, false, []string{`\leq`, "<=", "≤"}},
	{">=", Infix, 5, 5, false, []string{`\geq`, "≥"}},
	{"|-", Infix, 5, 5, false, []string{"⊢"}},
	{"|=", Infix, 5, 5, false, []string{"⊨"}},
	{"-|", Infix, 5, 5, false, []string{"⊣"}},
	{"=|", Infix, 5, 5, false, []string{"⫤"}},
	{":=", Infix, 5, 5, false, []string{"≔"}},
	{"::=", Infix, 5, 5, false, []string{"⩴"}},
	{`\prec`, Infix, 5, 5, false, []string{"≺"}},
	{`\succ`, Infix, 5, 5, false, []string{"≻"}},
	{`\preceq`, Infix, 5, 5, false, []string{"⪯"}},
	{`\succeq`, Infix, 5, 5, false, []string{"⪰"}},
	{`\sim`, Infix, 5, 5, false, []string{"∼"}},
	{`\simeq`, Infix, 5, 5, false, []string{"≃"}},
	{`\ll`, Infix, 5, 5, false, []string{"≪"}},
	{`\gg`, Infix, 5, 5, false, []string{"≫"}},
	{`\asymp`, Infix, 5, 5, false, []string{"≍"}},
	{`\subset`, Infix, 5, 5, false, []string{"⊂"}},
	{`\supset`, Infix, 5, 5, false, []string{"⊃"}},
	{`\supseteq`, Infix, 5, 5, false, []string{"⊇"}},
	{`\approx`, Infix, 5, 5, false, []string{"≈"}},
	{`\cong`, Infix, 5, 5, false, []string{"≅"}},
	{`\sqsubset`, Infix, 5, 5, false, []string{"⊏"}},
	{`\sqsubseteq`, Infix, 5, 5, false, []string{"⊑"}},
	{`\sqsupset`, Infix, 5, 5, false, []string{"⊐"}},
	{`\sqsupseteq`, Infix, 5, 5, false, []string{"⊒"}},
	{`\doteq`, Infix, 5, 5, false, []string{"≐"}},
	{`\propto`, Infix, 5, 5, false, []string{"∝"}},
	{`\cdot`, Infix, 5, 14, true, []string{"⋅"}},

	{"@@", Infix, 6, 6, true, nil},
	{"<:", Infix, 7, 7, false, nil},
	{":>", Infix, 7, 7, false, nil},
	{`\`, Infix, 8, 8, false, nil},
	{`\cap`, Infix, 8, 8, true, []string{`\intersect`, "∩"}},
	{`\cup`, Infix, 8, 8, true, []string{`\union`, "∪"}},
	{"..", Infix, 9, 9, false, []string{"‥"}},
	{"...", Infix, 9, 9, false, []string{"…"}},
	{"$", Infix, 9, 13, true, nil},
	{"$$", Infix, 9, 13, true, nil},
	{"??", Infix, 9, 13, true, []string{"⁇"}},
	{"##", Infix, 9, 13, true, nil},
	{"!!", Infix, 9, 13, false, []string{"‼"}},
	{`\uplus`, Infix, 9, 13, true, []string{"⊎"}},
	{`\sqcap`, Infix, 9, 13, true, []string{"⊓"}},
	{`\sqcup`, Infix, 9, 13, true, []string{"⊔"}},
	{`\wr`, Infix, 9, 14, false, []string{"≀"}},
	{"+", Infix, 10, 10, true, nil},
	{"++", Infix, 10, 10, true, nil},
	{"(+)", Infix, 10, 10, true, []string{`\oplus`, "⊕"}},
	{"%", Infix, 10, 11, false, nil},
	{"%%", Infix, 10, 11, true, nil},
	{"|", Infix, 10, 11, true, nil},
	{"||", Infix, 10, 11, true, []string{"‖"}},
	{`\X`, Infix, 10, 13, true, []string{`\times`, "×"}},
	{"-", Infix, 11, 11, true, nil},
	{"--", Infix, 11, 11, true, nil},
	{"(-)", Infix, 11, 11, true, []string{`\ominus`, "⊖"}},
	{"*", Infix, 13, 13, true, nil},
	{"**", Infix, 13, 13, true, nil},
	{"/", Infix, 13, 13, false, nil},
	{"//", Infix, 13, 13, false, nil},
	{"&", Infix, 13, 13, true, nil},
	{"&&", Infix, 13, 13, true, nil},
	{"(.)", Infix, 13, 13, true, []string{`\odot`, "⊙"}},
	{"(/)", Infix, 13, 13, false, []string{`\oslash`, "⊘"}},
	{`(\X)`, Infix, 13, 13, true, []string{`\otimes`, "⊗"}},
	{`\div`, Infix, 13, 13, false, []string{"÷"}},
	{`\o`, Infix, 13, 13, true, []string{`\circ`, "∘"}},
	{`\star`, Infix, 13, 13, true, []string{"⋆"}},
	{`\bigcirc`, Infix, 13, 13, true, []string{"◯"}},
	{`\bullet`, Infix, 13, 13, true, []string{"●"}},
	{"^", Infix, 14, 14, false, nil},
	{"^^", Infix, 14, 14, false, nil},
}

// operators has each spelling of each operator.
var operators = func() map[string]*Operator {
	m := make(map[string]*Operator, 2*len(Operators))
	for i := range Operators {
		op := &Operators[i]
		m[op.Name] = op
		for _, s := range op.Spellings {
			m[s] = op
		}
	}
	return m
}()

// minus is what "-" is where it has no left argument.
var minus = operators["-."]

// LookupOperator returns the operator that has this spelling, or nil.
func LookupOperator(spelling string) *Operator { return operators[spelling] }

// above reports whether o binds stronger than other wherever both are neighbours.
func (o *Operator) above(other *Operator) bool { return o.Low > other.High }
