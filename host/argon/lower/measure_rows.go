package lower

import (
	"slices"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
)

// Within follows the name of a relation in that of the one whose rules say of a
// measured column what interval it lies in.
const Within = inner

// Rows are the rows of a fold whose value may be an interval, as bodies over
// the slots of the rule that it stands in.
type Rows struct {
	Fold     []abi.Atom // what is folded over, as it is known
	Known    []abi.Atom // with what stands around it: holds of the rows that are known
	Possible []abi.Atom // the same of all that there may be
	Over     []int      // the slots that tell the rows apart
	Bound    []int      // the slots that both bodies give a value
}

// RowsOf returns the rows of the fold that a rule of a relation by the name of
// Within measures. ok is false where they have no bound, or there is no such
// fold, or the rule is for the case that no row is known: the one beside it says
// the same.
func RowsOf(rule *abi.Rule) (rows Rows, ok bool) {
	known, possible := -1, -1
	for i := range rule.Body {
		switch a := &rule.Body[i]; {
		case a.Op != abi.AtomFold:
		case a.Possible && possible < 0:
			possible = i
		case !a.Possible && known < 0:
			known = i
		}
	}
	if possible < 0 || known < 0 {
		return rows, false
	}
	around := copyAtoms(rule.Body)
	for i := 0; i < len(around); {
		if around[i].Op != abi.AtomFold {
			i++
			continue
		}
		around, i = without(around, i), 0
	}
	around = slices.DeleteFunc(around, func(a abi.Atom) bool { return a.Op == abi.AtomExists })
	may := &rule.Body[possible]
	rows.Over = may.Over
	rows.Fold = rule.Body[known].Body
	rows.Possible = append(copyAtoms(around), copyAtoms(may.Body)...)
	rows.Known = append(copyAtoms(around), copyAtoms(rows.Fold)...)
	for s := range open(func(w slotWalk) { w.atoms(rows.Possible) }) {
		if gives(rows.Possible, -1, s) && gives(rows.Known, -1, s) {
			rows.Bound = append(rows.Bound, s)
		}
	}
	slices.Sort(rows.Bound)
	return rows, true
}

// Supposed returns a body that holds where a rule of a relation by the name of
// Within would, had the measured value, which is that of a slot, the one of a
// constant for certain. reads are the atoms that ask for a value measured
// elsewhere: those that have it where the head has its own are of the same value.
func Supposed(relations []abi.Relation, rule *abi.Rule, column, constant int) (body, reads []abi.Atom) {
	value := rule.Args[column]
	set := map[int]bool{}
	for _, x := range append([]abi.Arg{value}, rule.Args[len(rule.Args)-3:]...) {
		if x.Op == abi.ArgSlot {
			set[x.Index] = true
		}
	}
	for i := range rule.Body {
		a := copyAtoms(rule.Body[i : i+1])[0]
		switch {
		case (a.Op == abi.AtomLet || a.Op == abi.AtomFold) && set[a.Slot]:
			continue
		case a.Op == abi.AtomScan && measuredAt(&relations[a.Rel]) >= 0:
			reads = append(reads, copyAtoms(rule.Body[i:i+1])...)
			column := measuredAt(&relations[a.Rel])
			if a.Args[column] != value {
				break // something is computed of it, or it is compared
			}
			for _, c := range []int{column, len(a.Args) - 3, len(a.Args) - 2, len(a.Args) - 1} {
				a.Args[c] = abi.Arg{Op: abi.ArgWild}
			}
		}
		body = append(body, a)
	}
	for again := true; again; {
		again = false
		uses := useCount(body)
		for i := range body {
			if a := &body[i]; a.Op == abi.AtomFold && uses[a.Slot] < 2 {
				body, again = slices.Delete(body, i, i+1), true
				break
			}
		}
	}
	x := abi.Expr{Op: abi.ExprConst, Index: constant}
	if value.Op == abi.ArgConst {
		return append(body, abi.Atom{Op: abi.AtomCmp, Cmp: abi.CmpEq, Args: []abi.Arg{value, {Op: abi.ArgConst, Index: constant}}}), reads
	}
	for i, s := range []abi.Arg{value, rule.Args[len(rule.Args)-3], rule.Args[len(rule.Args)-2]} {
		if s.Op == abi.ArgSlot && (i == 0 || s != value) {
			let := copyExpr(x)
			body = append(body, abi.Atom{Op: abi.AtomLet, Slot: s.Index, Expr: &let})
		}
	}
	return body, reads
}

// measuredAt is the column of a relation by the name of Within that is
// measured, or -1 where it is none.
func measuredAt(r *abi.Relation) int {
	if r.Origin != abi.OriginAux || !strings.HasSuffix(r.Name, Within) || len(r.Columns) <= 3 {
		return -1
	}
	name, _ := strings.CutSuffix(r.Columns[len(r.Columns)-1].Name, WithinLeft)
	return slices.IndexFunc(r.Columns, func(c abi.Column) bool { return c.Name == name })
}

// MeasuredOf returns the relation whose column one by the name of Within
// measures, and that column.
func MeasuredOf(r *abi.Relation) (name string, column int) {
	return strings.TrimSuffix(r.Name, Within), measuredAt(r)
}
