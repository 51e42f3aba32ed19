package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ox-mcp/ox-mcp/host/store"
	"github.com/pelletier/go-toml/v2"
)

// scenarioFile is a scenario as it stands in TOML.
type scenarioFile struct {
	Step []scenarioStep `toml:"step"`
}

type scenarioStep struct {
	Do      string         `toml:"do"`
	Path    string         `toml:"path"`
	Name    string         `toml:"name"`
	Args    map[string]any `toml:"args"`
	Label   string         `toml:"label"`
	Explain bool           `toml:"explain"`
	From    []string       `toml:"standpoints"`
	AsOf    any            `toml:"as_of"`
	ValidAt any            `toml:"valid_at"`
	Expect  *expected      `toml:"expect"`
}

// demoScenario is the scenario that is run where none is named.
const demoScenario = "demo.toml"

// maxScenario bounds a scenario file, in bytes.
const maxScenario = 1 << 20

// RunScenario runs a scenario file's steps in order on a throw-away copy of
// the declared facts. A refused write is its step's result, and the run goes
// on.
func (s *Service) RunScenario(ctx context.Context, req ScenarioRequest) (*ScenarioResult, error) {
	copied, res, err := s.Replay(ctx, req)
	if copied != nil {
		copied.Close(ctx)
	}
	return res, err
}

// Replay runs a scenario like RunScenario, and returns the copy that it ran
// on for further reads. The copy is nil where the scenario was refused; close
// it after use.
func (s *Service) Replay(ctx context.Context, req ScenarioRequest) (*Service, *ScenarioResult, error) {
	steps, err := s.readScenario(req.File)
	if err != nil {
		return nil, nil, err
	}
	copied, out, err := s.throwAway(ctx)
	if err != nil || out.Refused() {
		return nil, &ScenarioResult{Envelope: Envelope{Outcome: out}, Steps: []ScenarioStep{}}, err
	}
	res := &ScenarioResult{Steps: []ScenarioStep{}, OK: true}
	for i, st := range steps {
		step, err := copied.scenarioStep(ctx, st)
		var invalid *InvalidArguments
		if errors.As(err, &invalid) {
			step.Failure, err = invalid.Error(), nil
		}
		if err != nil {
			copied.Close(ctx)
			return nil, nil, fmt.Errorf("step %d: %w", i+1, err)
		}
		if step.Failure != "" || st.Expect == nil && step.refused() {
			res.OK = false
		}
		res.Steps = append(res.Steps, step)
	}
	res.ModuleHash = copied.servedModule().hash.String()
	res.Reasoner = copied.reasoner.build()
	return copied, res, nil
}

func (st *ScenarioStep) refused() bool {
	switch {
	case st.Mutate != nil:
		return st.Mutate.Refused()
	case st.Rows != nil:
		return st.Rows.Refused()
	case st.Compute != nil:
		return st.Compute.Refused()
	}
	return false
}

// throwAway returns a service on the served module with an empty log.
func (s *Service) throwAway(ctx context.Context) (*Service, Outcome, error) {
	_, out, err := s.refresh(ctx)
	if err != nil || out.Refused() {
		return nil, out, err
	}
	g := s.lease()
	if g == nil {
		return nil, noArtifact(), nil
	}
	defer g.leave()
	c := &Service{cfg: s.cfg, reasoner: g.reasoner, evaluator: s.evaluator, plugins: s.registryNow().copied(), cursorKey: s.cursorKey, pinned: true}
	c.cfg.Log = store.NewMemory()
	if c.cfg.Seed == nil {
		// A scenario makes the same individuals in every run.
		c.cfg.Seed = []byte("scenario")
	}
	c.serving = newGeneration(c, g.module)
	return c, out, nil
}

func (s *Service) readScenario(file string) ([]scenarioStep, error) {
	if s.cfg.Project == nil {
		return nil, &Error{Status: 400, Code: CodeNoProject, Message: "there is no package to run a scenario of"}
	}
	if file == "" {
		file = demoScenario
	}
	path := file
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.cfg.Project.Folder(), path)
		if _, err := os.Stat(path); err != nil {
			// A scenario may lie in the scenarios folder, or be named from
			// where the command runs.
			for _, other := range []string{filepath.Join(s.cfg.Project.Folder(), "scenarios", file), file} {
				if _, err := os.Stat(other); err == nil {
					path = other
					break
				}
			}
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, &Error{Status: 400, Code: "SCENARIO_UNREADABLE", Message: fmt.Sprintf("the scenario cannot be read: %v", err) + others(s.cfg.Project.Folder())}
	}
	if info.Size() > maxScenario {
		return nil, &Error{Status: 400, Code: "SCENARIO_UNREADABLE", Message: fmt.Sprintf("the scenario has %d bytes, more than %d", info.Size(), maxScenario)}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, &Error{Status: 400, Code: "SCENARIO_UNREADABLE", Message: fmt.Sprintf("the scenario cannot be read: %v", err)}
	}
	return parseScenario(file, text)
}

func parseScenario(file string, text []byte) ([]scenarioStep, error) {
	var f scenarioFile
	d := toml.NewDecoder(strings.NewReader(string(text))).DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		message := err.Error()
		var strict *toml.StrictMissingError
		var decode *toml.DecodeError
		switch {
		case errors.As(err, &strict):
			message = "unknown key:\n" + strict.String()
		case errors.As(err, &decode):
			row, _ := decode.Position()
			message = fmt.Sprintf("line %d: %s", row, undecoded(decode))
		}
		return nil, &Error{Status: 400, Code: "SCENARIO_MALFORMED", Message: file + ": " + message}
	}
	for i, st := range f.Step {
		switch st.Do {
		case "mutate", "query", "derive", "compute":
		default:
			return nil, &Error{Status: 400, Code: "SCENARIO_MALFORMED", Message: fmt.Sprintf("%s: step %d: do is %q; it must be mutate, query, derive or compute", file, i+1, st.Do)}
		}
		if wrong := st.misfit(); wrong != "" {
			return nil, &Error{Status: 400, Code: "SCENARIO_MALFORMED", Message: fmt.Sprintf("%s: step %d: %s", file, i+1, wrong)}
		}
	}
	return f.Step, nil
}

func (s *Service) scenarioStep(ctx context.Context, st scenarioStep) (ScenarioStep, error) {
	name := st.Path
	if name == "" {
		name = st.Name
	}
	out := ScenarioStep{Do: st.Do, Label: st.Label, Path: name}
	args, err := scenarioArgs(st.Args)
	if err != nil {
		return out, err
	}
	at, err := st.point()
	if err != nil {
		return out, err
	}
	common := Common{AsOf: at, Standpoints: st.From}
	switch st.Do {
	case "mutate":
		out.Mutate, err = s.Mutate(ctx, MutateRequest{Name: name, Args: args, Standpoints: st.From})
	case "query":
		out.Rows, err = s.Query(ctx, QueryRequest{Name: name, Args: args, Common: common})
	case "derive":
		out.Rows, err = s.Derive(ctx, DeriveRequest{Name: name, Explain: st.Explain, Common: common})
	case "compute":
		out.Compute, err = s.Compute(ctx, ComputeRequest{Name: name, Args: args, Common: common})
	}
	switch {
	case err != nil: // what a refused call leaves is no answer
		out.Mutate, out.Rows, out.Compute = nil, nil, nil
	case st.Expect != nil:
		out.Failure = st.Expect.unmet(&out)
	}
	return out, err
}

// scenarioArgs turns TOML values into arguments: {date = "…"},
// {decimal = "…"} and so on stand for exact values.
func scenarioArgs(in map[string]any) (Args, error) {
	out := Args{}
	for k, v := range in {
		b, err := EncodeJSON(plain(v))
		if err != nil {
			return nil, Invalid("args."+k, "a TOML value", err.Error(), "")
		}
		out[k] = json.RawMessage(b)
	}
	return out, nil
}

func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 1 {
			for _, key := range []string{"date", "decimal", "datetime", "money", "time", "duration"} {
				if text, ok := v[key]; ok {
					return plain(text)
				}
			}
		}
		out := map[string]any{}
		for k, x := range v {
			out[k] = plain(x)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = plain(x)
		}
		return out
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case fmt.Stringer: // the dates and times of TOML
		return v.String()
	}
	return v
}

// Text prints a row as a tuple: "(a,b)".
func (r *Row) Text() string {
	parts := make([]string, len(r.Values))
	for i, c := range r.Values {
		parts[i] = c.Text
	}
	return "(" + strings.Join(parts, ",") + ")"
}
