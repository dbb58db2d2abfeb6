package syntax

import "strings"

func exprTrees(exprs []Expr) []*tree {
	var all []*tree
	for _, e := range exprs {
		all = append(all, exprTree(e))
	}
	return all
}

func exprTree(e Expr) *tree {
	switch e := e.(type) {
	case *Op:
		return opTree(e)
	case *Number:
		return numberTree(e)
	case *String:
		return node("string")
	case *At:
		return node("prev_func_val")
	case *Paren:
		return node("parentheses", exprTree(e.Expr))
	case *Junction:
		return junctionTree(e)
	case *If:
		return node("if_then_else", exprTree(e.Cond), exprTree(e.Then), exprTree(e.Else))
	case *Case:
		n := node("case")
		for _, a := range e.Arms {
			n.add(node("case_arm", exprTree(a.Cond), exprTree(a.Expr)))
		}
		if e.Other != nil {
			n.add(node("other_arm", exprTree(e.Other)))
		}
		return n
	case *Let:
		n := node("let_in")
		for _, u := range e.Defs {
			n.add(unitTree(u))
		}
		return n.add(exprTree(e.Body))
	case *Quant:
		kind := map[string]string{`\A`: "forall", `\E`: "exists", `\AA`: "temporal_forall", `\EE`: "temporal_exists"}[e.Kind]
		if e.Bounds == nil {
			return node("unbounded_quantification", node(kind)).add(identTrees(len(e.Names))...).add(exprTree(e.Body))
		}
		return node("bounded_quantification", node(kind)).add(boundTrees(e.Bounds)...).add(exprTree(e.Body))
	case *Choose:
		n := node("choose", introTrees(e.Bound)...)
		if e.Bound.Set != nil {
			n.add(exprTree(e.Bound.Set))
		}
		return n.add(exprTree(e.Body))
	case *Lambda:
		return node("lambda", identTrees(len(e.Params))...).add(exprTree(e.Body))
	case *Action:
		if e.Square {
			return node("step_expr_or_stutter", exprTree(e.Act), exprTree(e.Sub))
		}
		return node("step_expr_no_stutter", exprTree(e.Act), exprTree(e.Sub))
	case *Fair:
		return node("fairness", exprTree(e.Sub), exprTree(e.Act))
	case *Label:
		n := node("label", node("identifier"))
		for range e.Params {
			n.add(node("identifier_ref"))
		}
		return n.add(exprTree(e.Expr))
	}
	return collectionTree(e)
}

// collectionTree is the tree of what makes or reads sets, functions and tuples.
func collectionTree(e Expr) *tree {
	switch e := e.(type) {
	case *SetEnum:
		return node("finite_set_literal", exprTrees(e.Items)...)
	case *SetFilter:
		return node("set_filter", boundTrees([]Bound{e.Bound})...).add(exprTree(e.Pred))
	case *SetMap:
		return node("set_map", exprTree(e.Expr)).add(boundTrees(e.Bounds)...)
	case *Fcn:
		return node("function_literal", boundTrees(e.Bounds)...).add(exprTree(e.Body))
	case *FcnSet:
		return node("set_of_functions", exprTree(e.From), exprTree(e.To))
	case *Record:
		return fieldTrees("record_literal", e.Fields)
	case *RecordSet:
		return fieldTrees("set_of_records", e.Fields)
	case *Except:
		return exceptTree(e)
	case *FcnApply:
		return node("function_evaluation", exprTree(e.Fcn)).add(exprTrees(e.Args)...)
	case *Dot:
		return node("record_value", exprTree(e.Rec), node("identifier_ref"))
	case *Tuple:
		return node("tuple_literal", exprTrees(e.Items)...)
	case *Times:
		n := exprTree(e.Sets[0])
		for _, s := range e.Sets[1:] {
			n = node("bound_infix_op", n, node("times"), exprTree(s))
		}
		return n
	}
	return node("?")
}

func junctionTree(e *Junction) *tree {
	list, item := "conj_list", "conj_item"
	if e.Op == `\/` {
		list, item = "disj_list", "disj_item"
	}
	n := node(list)
	for _, i := range e.Items {
		n.add(node(item, exprTree(i)))
	}
	return n
}

func numberTree(e *Number) *tree {
	if strings.Contains(e.Text, ".") {
		return node("real_number")
	}
	if e.Text[0] == '\\' {
		return node(map[byte]string{'b': "binary_number", 'o': "octal_number", 'h': "hex_number"}[e.Text[1]|0x20])
	}
	return node("nat_number")
}

func fieldTrees(kind string, fields []Field) *tree {
	n := node(kind)
	for _, f := range fields {
		n.add(node("identifier"), exprTree(f.Expr))
	}
	return n
}

func exceptTree(e *Except) *tree {
	n := node("except", exprTree(e.Fcn))
	for _, u := range e.Updates {
		path := node("except_update_specifier")
		for _, s := range u.Path {
			if s.Index == nil {
				path.add(node("except_update_record_field", node("identifier_ref")))
			} else {
				path.add(node("except_update_fn_appl", exprTrees(s.Index)...))
			}
		}
		n.add(node("except_update", path, exprTree(u.Value)))
	}
	return n
}

func opTree(e *Op) *tree {
	op := operators[e.Name.Name]
	if len(e.Prefix) == 0 && op != nil && len(e.Args) > 0 {
		arg := exprTree(e.Args[0])
		sign := node(symbolNames[op.Name])
		dotted := op == minus && e.Name.To.Col > e.Name.From.Col
		switch first := e.Args[0].Place().From.before(e.Name.From); {
		case op.Fixity == Infix && first:
			return node("bound_infix_op", arg, sign, exprTree(e.Args[1]))
		case op.Fixity == Prefix && !dotted:
			return node("bound_prefix_op", sign, arg)
		case op.Fixity == Postfix && first:
			return node("bound_postfix_op", arg, sign)
		}
	}
	last := selectorTree(Selector{Name: e.Name.Name, Args: e.Args}, "")
	if len(e.Prefix) == 0 {
		return last
	}
	prefix := node("subexpr_prefix")
	for _, s := range e.Prefix {
		prefix.add(selectorTree(s, "subexpr_component"))
	}
	if last.name == "subexpr_tree_nav" {
		return node("subexpression", prefix, last)
	}
	return node("prefixed_op", prefix, last)
}

// selectorTree is the tree of a piece of M!f(x)!1; names are within a node of the kind
// around, if there is one.
func selectorTree(s Selector, around string) *tree {
	nav := map[string]string{"<<": "langle_bracket", ">>": "rangle_bracket", "@": "address", ":": "colon"}
	var n *tree
	switch {
	case s.Name == "":
		return node("subexpr_tree_nav", node("operator_args", exprTrees(s.Args)...))
	case nav[s.Name] != "":
		return node("subexpr_tree_nav", node(nav[s.Name]))
	case strings.Trim(s.Name, "0123456789") == "":
		return node("subexpr_tree_nav", node("child_id"))
	case operators[s.Name] != nil && s.Args == nil:
		n = symbol(s.Name)
	case operators[s.Name] != nil:
		n = node("bound_nonfix_op", symbol(s.Name)).add(exprTrees(s.Args)...)
	case s.Args != nil:
		n = node("bound_op", node("identifier_ref")).add(exprTrees(s.Args)...)
	default:
		n = nameTree(s.Name, "identifier_ref")
	}
	if around != "" {
		return node(around, n)
	}
	return n
}
