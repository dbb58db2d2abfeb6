// Package config reads the configuration files of TLC, M.cfg: the values of a module's
// constants, and the properties to check. It knows the grammar alone; what names mean
// is for others to say.
//
// The grammar is that of TLC: a file is a list of sections, each a keyword with what
// belongs to it. Words, numbers, strings and comments are those of TLA+.
package config

import (
	"strconv"
	"strings"

	"tracecheck/tlaplus/syntax"
)

// Config is a model file. A name that the file does not give is nil.
type Config struct {
	File          string
	Constants     []Constant
	Substitutions []Substitution

	Specification *syntax.Ident
	Init, Next    *syntax.Ident
	View          *syntax.Ident
	Symmetry      *syntax.Ident
	Alias         *syntax.Ident
	Periodic      *syntax.Ident // _PERIODIC
	Reward        *syntax.Ident // _RL_REWARD

	Invariants        []syntax.Ident
	Properties        []syntax.Ident
	Constraints       []syntax.Ident
	ActionConstraints []syntax.Ident
	Postconditions    []syntax.Ident
	Possible          []syntax.Ident // _POSSIBLE

	CheckDeadlock *Deadlock
}

// Deadlock is CHECK_DEADLOCK TRUE or FALSE.
type Deadlock struct {
	syntax.Span
	Check bool
}

// Constant gives a constant a value: Name = Value. A constant operator has Name(Args) = Value,
// one for each tuple of arguments. Name = [Module] Value is for that of a module only.
type Constant struct {
	Name   syntax.Ident
	Args   []Value
	Module *syntax.Ident
	Value  Value
}

// Substitution puts a definition of the model in the place of a constant or of
// another definition: Name <- By, or Name <- [Module] By within a module only.
type Substitution struct {
	Name   syntax.Ident
	Module *syntax.Ident
	By     syntax.Ident
}

// Value is a value that a model file can write: Int, Bool, String, Model or Set.
type Value interface{ syntax.Node }

type (
	// Int is a number.
	Int struct {
		syntax.Span
		Value int32
	}

	// Bool is TRUE or FALSE.
	Bool struct {
		syntax.Span
		Value bool
	}

	// String is a string, as it is written: escapes are not resolved, as in TLC.
	String struct {
		syntax.Span
		Value string
	}

	// Model is a model value, which differs from all others.
	Model struct {
		syntax.Span
		Name string
	}

	// Set is {a, b}.
	Set struct {
		syntax.Span
		Items []Value
	}
)

// Show is a value as a model file writes it.
func Show(v Value) string {
	switch v := v.(type) {
	case *Int:
		return strconv.Itoa(int(v.Value))
	case *Bool:
		return strings.ToUpper(strconv.FormatBool(v.Value))
	case *String:
		return `"` + v.Value + `"`
	case *Model:
		return v.Name
	case *Set:
		items := make([]string, len(v.Items))
		for i, item := range v.Items {
			items[i] = Show(item)
		}
		return "{" + strings.Join(items, ", ") + "}"
	}
	return ""
}
