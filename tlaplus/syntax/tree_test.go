package syntax

import "strings"

// tree is a syntax tree as SANY's corpus writes it: (name child child).
type tree struct {
	name     string
	children []*tree
}

func node(name string, children ...*tree) *tree { return &tree{name, children} }

func (t *tree) add(children ...*tree) *tree {
	t.children = append(t.children, children...)
	return t
}

func (t *tree) String() string {
	var b strings.Builder
	t.write(&b, 0)
	return b.String()
}

func (t *tree) write(b *strings.Builder, indent int) {
	b.WriteString("(" + t.name)
	for _, c := range t.children {
		b.WriteString("\n" + strings.Repeat("  ", indent+1))
		c.write(b, indent+1)
	}
	b.WriteString(")")
}

// parseTree reads (name field: (name) …); fields' names are left out.
func parseTree(s string) *tree {
	stack := []*tree{{}}
	for _, word := range strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ").Replace(s)) {
		top := stack[len(stack)-1]
		switch {
		case word == "(":
			n := &tree{}
			top.add(n)
			stack = append(stack, n)
		case word == ")":
			stack = stack[:len(stack)-1]
		case !strings.HasSuffix(word, ":"):
			top.name = word
		}
	}
	return stack[0].children[0]
}

// dropped are nodes of the corpus' trees that say nothing of the text's meaning:
// separators, and proofs, which are not in our trees.
var dropped = set("header_line", "double_line", "single_line", "def_eq", "set_in", "bullet_conj", "bullet_disj",
	"label_as", "case_arrow", "case_box", "all_map_to", "maps_to", "gets", "rangle_bracket_sub", "escape_char",
	"format", "value", "use_or_hide", "terminal_proof", "non_terminal_proof")

// normal leaves out what is dropped.
func (t *tree) normal() *tree {
	n := &tree{name: t.name}
	if t.name == "assume_prove" {
		return n
	}
	if t.name == "iff" {
		n.name = "equiv"
	}
	for _, c := range t.children {
		bracket := (c.name == "langle_bracket" || c.name == "rangle_bracket") && t.name != "subexpr_tree_nav"
		if !dropped[c.name] && !bracket {
			n.add(c.normal())
		}
	}
	return n
}

// symbolNames has the names of operators in the corpus.
var symbolNames = func() map[string]string {
	names := map[string]string{}
	for _, pair := range strings.Fields(`&=amp &&=ampamp \approx=approx :==assign \asymp=asymp \bigcirc=bigcirc ::==bnf_rule
		\bullet=bullet \cap=cap \cdot=cdot \o=circ @@=compose \cong=cong \cup=cup \div=div $=dol $$=doldol \doteq=doteq
		..=dots_2 ...=dots_3 ==eq <=>=equiv !!=excl >==geq \gg=gg >=gt ##=hashhash =>=implies \in=in /\=land =|=ld_ttile
		~>=leads_to =<=leq \ll=ll \/=lor -|=ls_ttile <=lt <:=map_from :>=map_to -=minus --=minusminus %=mod %%=modmod
		*=mul **=mulmul #=neq \notin=notin (.)=odot (-)=ominus (+)=oplus (/)=oslash (\X)=otimes +=plus -+->=plus_arrow
		++=plusplus ^=pow ^^=powpow \prec=prec \preceq=preceq \propto=propto ??=qq |==rd_ttile |-=rs_ttile \=setminus
		\sim=sim \simeq=simeq /=slash //=slashslash \sqcap=sqcap \sqcup=sqcup \sqsubset=sqsubset \sqsubseteq=sqsubseteq
		\sqsupset=sqsupset \sqsupseteq=sqsupseteq \star=star \subset=subset \subseteq=subseteq \succ=succ \succeq=succeq
		\supset=supset \supseteq=supseteq \X=times \uplus=uplus |=vert ||=vertvert \wr=wr ^+=sup_plus ^*=asterisk
		^#=sup_hash '=prime -.=negative ~=lnot []=always <>=eventually ENABLED=enabled UNCHANGED=unchanged
		SUBSET=powerset UNION=union DOMAIN=domain`) {
		i := strings.LastIndex(pair, "=")
		names[pair[:i]] = pair[i+1:]
	}
	return names
}()

// symbol is the node of an operator where it is not applied by its fixity.
func symbol(name string) *tree {
	kind := map[Fixity]string{Prefix: "prefix_op_symbol", Infix: "infix_op_symbol", Postfix: "postfix_op_symbol"}
	return node(kind[operators[name].Fixity], node(symbolNames[name]))
}

// words are the nodes of identifiers that the corpus gives nodes of their own.
var words = map[string]string{"Nat": "nat_number_set", "Int": "int_number_set", "Real": "real_number_set",
	"TRUE": "boolean", "FALSE": "boolean", "BOOLEAN": "boolean_set", "STRING": "string_set"}

// nameTree is the node of a name: other, for one without a node of its own.
func nameTree(name, other string) *tree {
	if w := words[name]; w != "" {
		return node(w)
	}
	return node(other)
}

func identTrees(n int) []*tree {
	var all []*tree
	for range n {
		all = append(all, node("identifier"))
	}
	return all
}

func moduleTree(m *Module, outer bool) *tree {
	n := node("module", node("identifier"))
	if len(m.Extends) > 0 {
		e := node("extends")
		for range m.Extends {
			e.add(node("identifier_ref"))
		}
		n.add(e)
	}
	for _, u := range m.Units {
		n.add(unitTree(u))
	}
	if outer {
		return node("source_file", n)
	}
	return n
}

func unitTree(u Unit) *tree {
	switch u := u.(type) {
	case *Module:
		return moduleTree(u, false)
	case *Variables:
		return node("variable_declaration", identTrees(len(u.Names))...)
	case *Constants:
		return node("constant_declaration", paramTrees(u.Params)...)
	case *Recursive:
		return node("recursive_declaration", paramTrees(u.Params)...)
	case *OpDef:
		return localTree(u.Local, opDefTree(u))
	case *FcnDef:
		return localTree(u.Local, node("function_definition", node("identifier")).add(boundTrees(u.Bounds)...).add(exprTree(u.Body)))
	case *Instance:
		return instanceTree(u)
	case *Assume:
		return namedTree("assumption", u.Name).add(exprTree(u.Expr))
	case *Theorem:
		if u.Expr == nil {
			return namedTree("theorem", u.Name).add(node("assume_prove"))
		}
		return namedTree("theorem", u.Name).add(exprTree(u.Expr))
	}
	return node("?")
}

func namedTree(kind string, name *Ident) *tree {
	if name != nil {
		return node(kind, node("identifier"))
	}
	return node(kind)
}

func localTree(local bool, n *tree) *tree {
	if local {
		return node("local_definition", n)
	}
	return n
}

func opDefTree(u *OpDef) *tree {
	n := node("operator_definition")
	op := operators[u.Name.Name]
	switch params := paramTrees(u.Params); {
	case op == nil:
		n.add(nameTree(u.Name.Name, "identifier")).add(params...)
	case op.Fixity == Prefix:
		n.add(symbol(op.Name)).add(params...)
	default:
		n.add(params[0], symbol(op.Name)).add(params[1:]...)
	}
	return n.add(exprTree(u.Body))
}

func paramTrees(params []Param) []*tree {
	var all []*tree
	for _, p := range params {
		op := operators[p.Name]
		n := node("operator_declaration")
		switch {
		case p.Arity == 0:
			n = node("identifier")
		case op == nil:
			n.add(node("identifier"))
			for range p.Arity {
				n.add(node("placeholder"))
			}
		case op.Fixity == Prefix:
			n.add(symbol(op.Name), node("placeholder"))
		case op.Fixity == Postfix:
			n.add(node("placeholder"), symbol(op.Name))
		default:
			n.add(node("placeholder"), symbol(op.Name), node("placeholder"))
		}
		all = append(all, n)
	}
	return all
}

func instanceTree(u *Instance) *tree {
	n := node("instance", node("identifier_ref"))
	for _, s := range u.With {
		name := node("identifier_ref")
		if operators[s.Name.Name] != nil {
			name = symbol(s.Name.Name)
		}
		n.add(node("substitution", name, exprTree(s.Expr)))
	}
	if u.Name != nil {
		n = node("module_definition", node("identifier")).add(paramTrees(u.Params)...).add(n)
	}
	return localTree(u.Local, n)
}

func boundTrees(bounds []Bound) []*tree {
	var all []*tree
	for _, b := range bounds {
		all = append(all, node("quantifier_bound", introTrees(b)...).add(exprTree(b.Set)))
	}
	return all
}

func introTrees(b Bound) []*tree {
	if b.Tuple {
		return []*tree{node("tuple_of_identifiers", identTrees(len(b.Names))...)}
	}
	return identTrees(len(b.Names))
}
