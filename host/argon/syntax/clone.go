package syntax

import "reflect"

// Clone copies a tree with everything in it.
func Clone[T any](tree T) T {
	out := reflect.New(reflect.TypeFor[T]()).Elem()
	out.Set(cloned(reflect.ValueOf(&tree).Elem()))
	return out.Interface().(T)
}

func cloned(x reflect.Value) reflect.Value {
	switch x.Kind() {
	case reflect.Pointer, reflect.Interface:
		if x.IsNil() {
			return x
		}
		inner := cloned(x.Elem())
		if x.Kind() == reflect.Interface {
			out := reflect.New(x.Type()).Elem()
			out.Set(inner)
			return out
		}
		out := reflect.New(x.Type().Elem())
		out.Elem().Set(inner)
		return out
	case reflect.Slice:
		if x.IsNil() {
			return x
		}
		out := reflect.MakeSlice(x.Type(), x.Len(), x.Len())
		for i := range x.Len() {
			out.Index(i).Set(cloned(x.Index(i)))
		}
		return out
	case reflect.Struct:
		out := reflect.New(x.Type()).Elem()
		out.Set(x)
		for i := range x.NumField() {
			if out.Field(i).CanSet() {
				out.Field(i).Set(cloned(x.Field(i)))
			}
		}
		return out
	}
	return x
}

// Substitute puts a copy of a type in the place of each type of the tree that
// is one of the names alone.
func Substitute(tree any, types map[string]Type) {
	if len(types) > 0 {
		substitute(reflect.ValueOf(tree), types)
	}
}

func substitute(x reflect.Value, types map[string]Type) {
	switch x.Kind() {
	case reflect.Pointer:
		if !x.IsNil() {
			substitute(x.Elem(), types)
		}
	case reflect.Interface:
		if x.IsNil() {
			return
		}
		if named, ok := x.Interface().(*NamedType); ok && len(named.Args) == 0 && x.CanSet() {
			if t := types[named.Path.String()]; t != nil {
				x.Set(reflect.ValueOf(Clone(t)))
				return
			}
		}
		substitute(x.Elem(), types)
	case reflect.Slice:
		for i := range x.Len() {
			substitute(x.Index(i), types)
		}
	case reflect.Struct:
		if x.Type() == sourceType {
			return
		}
		for i := range x.NumField() {
			if x.Type().Field(i).IsExported() {
				substitute(x.Field(i), types)
			}
		}
	}
}
