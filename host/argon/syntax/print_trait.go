package syntax

// TypeText is a type as source.
func TypeText(t Type) string {
	p := &printer{src: &Source{}, flat: true}
	return p.typeText(t)
}

// traitMembers prints the members of a trait or of an implementation.
func (p *printer) traitMembers(members []TraitMember) {
	braced(p, members, "", p.traitMember)
}

func (p *printer) traitMember(m TraitMember) {
	switch it := m.Item.(type) {
	case *Fn:
		if m.Provided {
			break
		}
		p.head(&it.Decl)
		p.put("fn ", it.Name.Name)
		p.params(it.Params)
		p.put(" -> ", p.typeText(it.Result), ";")
		return
	case *Mutate:
		if m.Provided {
			break
		}
		p.head(&it.Decl)
		p.put("mutate ", it.Name.Name)
		p.params(it.Params)
		if it.Result != nil {
			p.put(" -> ", p.typeText(it.Result))
		}
		p.put(";")
		return
	}
	p.item(m.Item)
}

// isSelf reports whether q is the `self` of a member, written without its type.
func isSelf(q *Param) bool {
	named, ok := q.Type.(*NamedType)
	return ok && q.Name.Name == "self" && named.Path.String() == "Self" && named.Span == q.Name.Span
}
