package runtime

import (
	"strings"

	"github.com/ox-mcp/ox-mcp/host/argon/types"
)

// catalogText prints a tuple of a relation about declarations as a rule would
// ask for it.
func catalogText(relation string, parts []string) (string, bool) {
	call := func(name string) (string, bool) { return name + "(" + strings.Join(parts, ", ") + ")", true }
	axis, ranked := strings.CutPrefix(relation, types.CatalogRank)
	if !ranked {
		axis, _ = strings.CutPrefix(relation, types.CatalogAxis)
	}
	switch {
	case relation == types.CatalogSub:
		return call("specializes")
	case relation == types.CatalogIof || relation == types.CatalogIofTypes:
		return call("iof")
	case relation == types.CatalogRel || relation == types.CatalogArm || relation == types.CatalogImplements:
		return call(relation[1:])
	case relation == types.CatalogMetas && len(parts) == 1:
		return parts[0] + ": Metatype", true
	case relation == types.CatalogMeta && len(parts) == 2:
		return "meta(" + parts[0] + ") == " + parts[1], true
	case axis != relation && len(parts) == 2 && ranked:
		return "meta(" + parts[0] + ")." + shortName(axis) + " is number " + parts[1] + " of its axis", true
	case axis != relation && len(parts) == 2:
		return "meta(" + parts[0] + ")." + shortName(axis) + " == " + parts[1], true
	}
	return "", false
}
