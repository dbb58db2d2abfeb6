package syntax

// Children calls f with each expression, and each unit of a LET, that is directly
// part of the node.
func Children(n Node, f func(Node)) {
	exprs := func(list []Expr) {
		for _, x := range list {
			f(x)
		}
	}
	bounds := func(list []Bound) {
		for i := range list {
			if list[i].Set != nil {
				f(list[i].Set)
			}
		}
	}
	fields := func(list []Field) {
		for i := range list {
			f(list[i].Expr)
		}
	}
	switch n := n.(type) {
	case *OpDef:
		f(n.Body)
	case *FcnDef:
		bounds(n.Bounds)
		f(n.Body)
	case *Op:
		for i := range n.Prefix {
			exprs(n.Prefix[i].Args)
		}
		exprs(n.Args)
	case *Paren:
		f(n.Expr)
	case *Junction:
		exprs(n.Items)
	case *If:
		exprs([]Expr{n.Cond, n.Then, n.Else})
	case *Case:
		for i := range n.Arms {
			exprs([]Expr{n.Arms[i].Cond, n.Arms[i].Expr})
		}
		if n.Other != nil {
			f(n.Other)
		}
	case *Let:
		for _, u := range n.Defs {
			f(u)
		}
		f(n.Body)
	case *Quant:
		bounds(n.Bounds)
		f(n.Body)
	case *Choose:
		bounds([]Bound{n.Bound})
		f(n.Body)
	case *SetEnum:
		exprs(n.Items)
	case *SetFilter:
		bounds([]Bound{n.Bound})
		f(n.Pred)
	case *SetMap:
		bounds(n.Bounds)
		f(n.Expr)
	case *Fcn:
		bounds(n.Bounds)
		f(n.Body)
	case *FcnSet:
		exprs([]Expr{n.From, n.To})
	case *Record:
		fields(n.Fields)
	case *RecordSet:
		fields(n.Fields)
	case *Except:
		f(n.Fcn)
		for i := range n.Updates {
			for _, step := range n.Updates[i].Path {
				exprs(step.Index)
			}
			f(n.Updates[i].Value)
		}
	case *FcnApply:
		f(n.Fcn)
		exprs(n.Args)
	case *Dot:
		f(n.Rec)
	case *Tuple:
		exprs(n.Items)
	case *Times:
		exprs(n.Sets)
	case *Lambda:
		f(n.Body)
	case *Action:
		exprs([]Expr{n.Act, n.Sub})
	case *Fair:
		exprs([]Expr{n.Sub, n.Act})
	case *Label:
		f(n.Expr)
	}
}
