package types

import (
	"strconv"
	"strings"

	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/resolve"
	"github.com/ox-mcp/ox-mcp/host/argon/syntax"
)

// Tier is a rung of the ladder of what a rule may say, low to high: each costs
// more to decide than the one before it.
type Tier uint8

// The main ladder.
const (
	Structural Tier = iota // subsumption
	Closure                // joins, paths, transitive closure
	Expressive             // negation, counts, conditions on values
	Recursive              // recursion of any form, folds, computed values
	FOL                    // first-order logic: `unsafe logic`
	Modal                  // box and diamond
	Metaorder              // instantiation without a bound
)

// Tiers names the main ladder.
var Tiers = [...]string{"structural", "closure", "expressive", "recursive", "fol", "modal", "metaorder"}

func (t Tier) String() string { return Tiers[t] }

// TemporalTier is a rung of the ladder of what a rule may say about time.
type TemporalTier uint8

// The ladder of time.
const (
	NoTime            TemporalTier = iota // reads no facts
	Snapshot                              // reads facts at one instant
	AcyclicStratified                     // temporal operators, without recursion
	Stratified                            // with recursion
	ForwardPropagating
	Unstratified
)

// TemporalTiers names the ladder of time.
var TemporalTiers = [...]string{"none", "snapshot", "acyclic-stratified", "stratified", "forward-propagating", "unstratified"}

func (t TemporalTier) String() string { return TemporalTiers[t] }

// TierBound is what a rule may say at most.
type TierBound struct {
	Main       Tier
	Temporal   TemporalTier
	By         string // who says so of Main, as it is written; empty: nobody
	TemporalBy string
}

// tighter returns b, tightened by c.
func (b TierBound) tighter(c TierBound) TierBound {
	if c.By != "" && (b.By == "" || c.Main < b.Main) {
		b.Main, b.By = c.Main, c.By
	}
	if c.TemporalBy != "" && (b.TemporalBy == "" || c.Temporal < b.Temporal) {
		b.Temporal, b.TemporalBy = c.Temporal, c.TemporalBy
	}
	return b
}

// TierBound returns what the attributes of an item of m, those of the modules
// around it and the package allow.
func (e *Env) TierBound(m *resolve.Module, attrs []syntax.Attr) TierBound {
	b := decBound(attrs)
	for at := m; at != nil; at = at.Parent {
		if decl := at.Decl(); decl != nil {
			b = b.tighter(decBound(decl.Attrs))
		}
	}
	if mf := m.Package.Manifest; mf != nil && mf.MaxTier != "" {
		if t, ok := packageTier(mf.MaxTier); ok {
			b = b.tighter(TierBound{Main: t, By: "max_tier = \"" + t.String() + "\" of " + mf.Path})
		}
	}
	return b
}

// packageTier reads max_tier: a name, or a rung from 0.
func packageTier(s string) (Tier, bool) {
	if n, err := strconv.Atoi(s); err == nil {
		return Tier(max(n, 0)), 0 <= n && n < len(Tiers)
	}
	for i, name := range Tiers {
		if name == s {
			return Tier(i), true
		}
	}
	return 0, false
}

// maxTiers reports manifests whose max_tier names no rung.
func (e *Env) maxTiers() {
	for _, p := range e.World.Packages {
		if p.Manifest == nil || p.Manifest.MaxTier == "" {
			continue
		}
		if _, ok := packageTier(p.Manifest.MaxTier); !ok {
			e.diags.Add(diag.Diagnostic{
				Code: "OE1261", Place: diag.Place{Path: p.Manifest.Path}, Help: "the tiers are " + strings.Join(Tiers[:], ", "),
				Message: "max_tier = " + strconv.Quote(p.Manifest.MaxTier) + " is no tier",
			})
		}
	}
}

// decBound reads the #[dec(tier: T, temporal: S)] among attrs; what does not
// read was reported.
func decBound(attrs []syntax.Attr) TierBound {
	var b TierBound
	for i := range attrs {
		if attrs[i].Name.String() != "dec" {
			continue
		}
		for _, p := range decParts(&attrs[i]) {
			by := "#[dec(" + p.key + ": " + p.value + ")]"
			if at, ok := rung(p.key, p.value); ok && p.key == "tier" {
				b = b.tighter(TierBound{Main: Tier(at), By: by})
			} else if ok {
				b = b.tighter(TierBound{Temporal: TemporalTier(at), TemporalBy: by})
			}
		}
	}
	return b
}

type decPart struct{ key, value string }

func decParts(a *syntax.Attr) []decPart {
	var out []decPart
	for part := range strings.SplitSeq(a.Text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		key, value, _ := strings.Cut(part, ":")
		out = append(out, decPart{strings.TrimSpace(key), strings.Join(strings.Fields(value), "")})
	}
	return out
}

func rung(key, value string) (int, bool) {
	ladder := Tiers[:]
	if key == "temporal" {
		ladder = TemporalTiers[:]
	}
	for i, name := range ladder {
		if name == value {
			return i, key == "tier" || key == "temporal"
		}
	}
	return 0, false
}

// dec checks a #[dec(…)] itself.
func (e *Env) dec(m *resolve.Module, a syntax.Attr, on string) {
	switch on {
	case "derive", "check", "query", "module", misreadItem:
	default:
		e.report(m, "OE0351", a.Span, "write it on a derive, check, query or mod", "#[dec] does not belong on a %s", on)
		return
	}
	parts := decParts(&a)
	if len(parts) == 0 {
		e.report(m, "OE0351", a.Span, "write #[dec(tier: recursive)]", "#[dec] needs a tier")
	}
	for _, p := range parts {
		if _, ok := rung(p.key, p.value); ok {
			continue
		}
		switch p.key {
		case "tier":
			e.report(m, "OE0351", a.Span, e.tierHelp(p.value, Tiers[:]), "there is no tier %q", p.value)
		case "temporal":
			e.report(m, "OE0351", a.Span, e.tierHelp(p.value, TemporalTiers[:]), "there is no temporal tier %q", p.value)
		default:
			e.report(m, "OE0351", a.Span, "write #[dec(tier: recursive, temporal: snapshot)]", "#[dec] takes tier and temporal, not %q", p.key)
		}
		return
	}
}

func (e *Env) tierHelp(name string, ladder []string) string {
	if near := e.nearest(name, append([]string(nil), ladder...)); near != "" {
		return near
	}
	return "it is one of " + strings.Join(ladder, ", ")
}
