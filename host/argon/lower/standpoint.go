package lower

import "slices"

// Standpoint is a layer of facts.
type Standpoint struct {
	Name    string   // qualified; empty: the facts outside of standpoints
	Parents []string // as they are declared
}

// layers lists the layers of the workspace, first the one without a name.
func (b *builder) layers() []Standpoint {
	out := []Standpoint{{}}
	for _, s := range b.env.Standpoints {
		out = append(out, Standpoint{Name: s.Name, Parents: s.Parents})
	}
	return out
}

// Lattice returns the parents of each standpoint.
func Lattice(list []Standpoint) map[string][]string {
	parents := map[string][]string{}
	for _, s := range list {
		parents[s.Name] = s.Parents
	}
	return parents
}

// Above returns the standpoints whose facts the view of name has: those above
// it, each after its own parents, and last itself. What stands in a circle is
// taken once.
func Above(name string, parents map[string][]string) []string {
	var out []string
	seen := map[string]bool{name: true}
	type visit struct {
		name string
		next int
	}
	for stack := []visit{{name: name}}; len(stack) > 0; {
		v := &stack[len(stack)-1]
		if v.next == len(parents[v.name]) {
			out = append(out, v.name)
			stack = stack[:len(stack)-1]
			continue
		}
		up := parents[v.name][v.next]
		v.next++
		if !seen[up] {
			seen[up] = true
			stack = append(stack, visit{name: up})
		}
	}
	return slices.Clip(out)
}

func (s *schemaBuilder) standpoints() {
	for _, p := range s.b.env.Standpoints {
		if out := s.construct(p.Symbol, "standpoint", -1); out != nil {
			out.Supers = p.Parents
			out.Signature = visibility(p.Symbol) + "standpoint " + p.Symbol.Name
			for i, up := range p.Parents {
				out.Signature += map[bool]string{true: " <: ", false: ", "}[i == 0] + up
			}
		}
	}
}
