package syntax

import "reflect"

// Visit calls do with a pointer to each part of a tree that is a struct, from
// the outside in: the nodes (*Derive, *Name), and what they are made of (*Path,
// *Ident, *Span, *Param). It does not go into a part for which do answers false.
// What do changes in a part stays.
func Visit(tree any, do func(part any) bool) {
	v := visitor{do: do, seen: map[visited]bool{}}
	v.value(reflect.ValueOf(tree))
}

type visited struct {
	at   uintptr
	kind reflect.Type
}

type visitor struct {
	do   func(any) bool
	seen map[visited]bool
}

func (v *visitor) value(x reflect.Value) {
	switch x.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !x.IsNil() {
			v.value(x.Elem())
		}
	case reflect.Slice:
		for i := range x.Len() {
			v.value(x.Index(i))
		}
	case reflect.Struct:
		if x.Type() == sourceType || !x.CanInterface() {
			return
		}
		if x.CanAddr() {
			key := visited{x.Addr().Pointer(), x.Type()}
			if v.seen[key] {
				return
			}
			v.seen[key] = true
			if !v.do(x.Addr().Interface()) {
				return
			}
		}
		for i := range x.NumField() {
			v.value(x.Field(i))
		}
	}
}

var sourceType = reflect.TypeFor[Source]()
