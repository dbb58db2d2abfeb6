package syntax

import "strconv"

// Pos is a place in a module's text: lines and columns count from 1, columns in
// characters.
type Pos struct{ Line, Col int }

// Span is a piece of a module's text, from its first character to its last.
type Span struct{ From, To Pos }

// Node is a piece of syntax. Spans are of the file of the module that has it.
type Node interface{ Place() Span }

// Place implements Node.
func (s Span) Place() Span { return s }

// Module is one module, as it is written.
type Module struct {
	Span
	File    string // its name in messages; nested modules have that of the outermost
	Name    string
	Extends []Ident
	Units   []Unit
}

// Ident is a name at its place.
type Ident struct {
	Span
	Name string
}

// Unit is an element of a module's body or of a LET: *Constants, *Variables,
// *Recursive, *OpDef, *FcnDef, *Instance, *Assume, *Theorem, *Module.
type Unit interface{ Node }

// Param is a parameter of an operator, or a declared constant, with its arity: 0
// for a value.
type Param struct {
	Ident
	Arity int
}

// Constants declares CONSTANTS.
type Constants struct {
	Span
	Params []Param
}

// Variables declares VARIABLES.
type Variables struct {
	Span
	Names []Ident
}

// Recursive declares operators that a later definition of the same name defines.
type Recursive struct {
	Span
	Params []Param
}

// OpDef is Name(Params) == Body. Of an operator symbol the name is its canonical
// spelling (see LookupOperator); the prefix minus is "-.".
type OpDef struct {
	Span
	Local  bool
	Name   Ident
	Params []Param
	Body   Expr
}

// FcnDef is Name[Bounds] == Body, which may refer to Name.
type FcnDef struct {
	Span
	Local  bool
	Name   Ident
	Bounds []Bound
	Body   Expr
}

// Instance is INSTANCE Module WITH …, or Name(Params) == INSTANCE … where it has
// a name.
type Instance struct {
	Span
	Local  bool
	Name   *Ident // nil: plain
	Params []Param
	Module Ident
	With   []Subst
}

// Subst is Name <- Expr. The expression may be the bare name of an operator.
type Subst struct {
	Name Ident
	Expr Expr
}

// Assume is ASSUME or AXIOM, with an optional name.
type Assume struct {
	Span
	Axiom bool
	Name  *Ident
	Expr  Expr
}

// Theorem is a THEOREM, LEMMA, PROPOSITION or COROLLARY; its proof is skipped.
// Expr is nil where the statement is an ASSUME … PROVE.
type Theorem struct {
	Span
	Name *Ident
	Expr Expr
}

// Expr is an expression.
type Expr interface {
	Node
	expr()
}

type (
	// Op applies an operator to its arguments: an identifier, f(x), a prefix,
	// infix or postfix operator, and A!B(x)!Op. Name is canonical. An operator
	// that is an argument itself (of a higher-order operator) is an Op without
	// arguments.
	Op struct {
		Span
		Prefix []Selector // what comes before the "!"s
		Name   Ident
		Args   []Expr
	}

	// Number is a literal in the notation of the text: 12, \hFF, \b101, \o17, 3.14.
	Number struct {
		Span
		Text string
	}

	// String is a string's value, its escapes resolved.
	String struct {
		Span
		Value string
	}

	// At is the @ of an EXCEPT.
	At struct{ Span }

	// Paren is (Expr).
	Paren struct {
		Span
		Expr Expr
	}

	// Junction is a bulleted list of /\ or \/.
	Junction struct {
		Span
		Op    string // "/\\" or "\\/"
		Items []Expr
	}

	// If is IF Cond THEN Then ELSE Else.
	If struct {
		Span
		Cond, Then, Else Expr
	}

	// Case is CASE … [] …; Other is nil where there is none.
	Case struct {
		Span
		Arms  []Arm
		Other Expr
	}

	// Let is LET Defs IN Body.
	Let struct {
		Span
		Defs []Unit
		Body Expr
	}

	// Quant is \A or \E (\AA, \EE) over Bounds, or over Names without a bound.
	Quant struct {
		Span
		Kind   string // "\\A", "\\E", "\\AA", "\\EE"
		Bounds []Bound
		Names  []Ident
		Body   Expr
	}

	// Choose is CHOOSE x \in S : P; Bound.Set is nil where there is no bound.
	Choose struct {
		Span
		Bound Bound
		Body  Expr
	}

	// SetEnum is {a, b}.
	SetEnum struct {
		Span
		Items []Expr
	}

	// SetFilter is {x \in S : P}.
	SetFilter struct {
		Span
		Bound Bound
		Pred  Expr
	}

	// SetMap is {e : x \in S, y \in T}.
	SetMap struct {
		Span
		Expr   Expr
		Bounds []Bound
	}

	// Fcn is [x \in S |-> e].
	Fcn struct {
		Span
		Bounds []Bound
		Body   Expr
	}

	// FcnSet is [S -> T].
	FcnSet struct {
		Span
		From, To Expr
	}

	// Record is [a |-> 1], RecordSet [a : S].
	Record struct {
		Span
		Fields []Field
	}

	// RecordSet is [a : S, b : T].
	RecordSet struct {
		Span
		Fields []Field
	}

	// Except is [f EXCEPT ![a] = e, !.b[c] = e].
	Except struct {
		Span
		Fcn     Expr
		Updates []Update
	}

	// FcnApply is f[a, b].
	FcnApply struct {
		Span
		Fcn  Expr
		Args []Expr
	}

	// Dot is r.a.
	Dot struct {
		Span
		Rec   Expr
		Field Ident
	}

	// Tuple is <<a, b>>.
	Tuple struct {
		Span
		Items []Expr
	}

	// Times is S \X T \X U, with at least two sets.
	Times struct {
		Span
		Sets []Expr
	}

	// Lambda is LAMBDA x, y : e.
	Lambda struct {
		Span
		Params []Param
		Body   Expr
	}

	// Action is [A]_v where Square, else <<A>>_v.
	Action struct {
		Span
		Square bool
		Act    Expr
		Sub    Expr
	}

	// Fair is WF_v(A), or SF_v(A) where Strong.
	Fair struct {
		Span
		Strong bool
		Sub    Expr
		Act    Expr
	}

	// Label is name(params) :: e.
	Label struct {
		Span
		Name   Ident
		Params []Ident
		Expr   Expr
	}
)

// Selector is a step of a prefix: A!, A(x)!, and those that name a piece of a
// definition, 1!, <<!, >>!, @!, :!, whose Name is that symbol or number. One
// without a Name has only arguments: (x)!.
type Selector struct {
	Span
	Name string
	Args []Expr
}

// Arm is Cond -> Expr.
type Arm struct{ Cond, Expr Expr }

// Field is a record's field with its value, or the set of its values.
type Field struct {
	Name Ident
	Expr Expr
}

// Update is !Path = Value.
type Update struct {
	Span
	Path  []Step
	Value Expr
}

// Step is [a, b], or .Field where Index is nil.
type Step struct {
	Span
	Index []Expr
	Field Ident
}

// Bound is x, y \in Set, or <<x, y>> \in Set where Tuple.
type Bound struct {
	Names []Ident
	Tuple bool
	Set   Expr
}

func (*Op) expr()        {}
func (*Number) expr()    {}
func (*String) expr()    {}
func (*At) expr()        {}
func (*Paren) expr()     {}
func (*Junction) expr()  {}
func (*If) expr()        {}
func (*Case) expr()      {}
func (*Let) expr()       {}
func (*Quant) expr()     {}
func (*Choose) expr()    {}
func (*SetEnum) expr()   {}
func (*SetFilter) expr() {}
func (*SetMap) expr()    {}
func (*Fcn) expr()       {}
func (*FcnSet) expr()    {}
func (*Record) expr()    {}
func (*RecordSet) expr() {}
func (*Except) expr()    {}
func (*FcnApply) expr()  {}
func (*Dot) expr()       {}
func (*Tuple) expr()     {}
func (*Times) expr()     {}
func (*Lambda) expr()    {}
func (*Action) expr()    {}
func (*Fair) expr()      {}
func (*Label) expr()     {}

// String is line:column.
func (p Pos) String() string { return strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Col) }
