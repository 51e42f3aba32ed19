package runtime

import (
	"fmt"
	"strings"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/load"
	"github.com/ox-mcp/ox-mcp/host/coherence"
)

// codeEvaluator is the error of a check whose evaluator cannot be used, or
// fails.
const codeEvaluator = "OE1352"

// missingEvaluators are the checks that nobody could decide. A check without
// its evaluator must not pass in silence, so each is an error.
func (s *Service) missingEvaluators(m *module) []Diagnostic {
	var out []Diagnostic
	g := s.registryNow()
	for i := range m.program.Checks {
		c := &m.program.Checks[i]
		if c.Evaluator == "" {
			continue
		}
		d := Diagnostic{Code: codeEvaluator, Severity: abi.SeverityError.String(), Range: m.rangeOf(c.Span), Check: c.Name}
		r := g.byName[c.Evaluator]
		if r == nil {
			d.Message = fmt.Sprintf("the check %s asks for the evaluator %s, and no plugin of that name is configured", shortName(c.Name), c.Evaluator)
			d.Help = g.howToDeclare(c.Evaluator)
		} else if err := r.ready(); err != nil {
			d.Message = fmt.Sprintf("the check %s asks for the evaluator %s, which cannot be used: %v", shortName(c.Name), c.Evaluator, err)
			d.Help = fmt.Sprintf("it is declared in %s; `ox-mcp plugin verify` compares the pins with the files", r.File)
		} else {
			continue
		}
		if e, ok := diag.Lookup(d.Code); ok && len(out) == 0 {
			d.Remediation = &Remediation{Class: string(e.Remediation.Class), Text: e.Remediation.Text}
		}
		out = append(out, d)
	}
	return out
}

// ignored are warnings about what the manifest of p says and may not. Plugins
// are those of the served package: another one's are never used.
func (s *Service) ignored(p *coherence.Project, m *load.Manifest) []diag.Diagnostic {
	if m == nil {
		return nil
	}
	list := s.registryNow().ignored
	if s.cfg.Project == nil || p.Root != s.cfg.Project.Root {
		list = nil
		const why = "the plugins are those of the package that is served"
		if m.Reasoner != nil {
			list = append(list, Ignored{"reasoner", why})
		}
		for _, x := range m.Plugins {
			list = append(list, Ignored{"plugins." + x.Name, why})
		}
	}
	var out []diag.Diagnostic
	for _, i := range list {
		d := diag.Diagnostic{Code: "OW1252", Severity: diag.Warning, Place: m.SettingPlace(i.Key),
			Message: fmt.Sprintf("%s is ignored: %s", abridge(i.Key), i.Message)}
		switch {
		case i.Key == "reasoner":
			if m.Reasoner == nil {
				continue // it has gone since
			}
			d.Place = m.Reasoner.Place
		case strings.HasPrefix(i.Key, "plugins."):
			x := pluginOf(m, strings.TrimPrefix(i.Key, "plugins."))
			if x == nil {
				continue
			}
			d.Place = x.Place
		}
		out = append(out, d)
	}
	return out
}

func pluginOf(m *load.Manifest, name string) *load.Plugin {
	for i := range m.Plugins {
		if m.Plugins[i].Name == name {
			return &m.Plugins[i]
		}
	}
	return nil
}
