package std

import "regexp"

var (
	declared = regexp.MustCompile(`(?m)^( *)pub (?:abstract |fixed )*(?:struct|enum|trait|macro|metatype|metarel|type|rel|fn|derive) (\w+)\b`)
	inner    = regexp.MustCompile(`(?m)^pub mod (\w+) \{`)
)

// Home returns the path by which a public name of the standard packages is
// imported, "std::path::Path"; ok is false where none of them has it.
func Home(name string) (path string, ok bool) {
	for _, src := range Sources() {
		for _, at := range declared.FindAllStringSubmatchIndex(src.Text, -1) {
			if src.Name == "" || src.Text[at[4]:at[5]] != name {
				continue
			}
			path = "std::" + src.Name + "::"
			if at[2] < at[3] {
				within := inner.FindAllStringSubmatch(src.Text[:at[0]], -1)
				path += within[len(within)-1][1] + "::"
			}
			return path + name, true
		}
	}
	return "", false
}
