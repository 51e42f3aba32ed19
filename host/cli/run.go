package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ox-mcp/ox-mcp/host/runtime"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Env is what the command line runs in. Nothing else of the machine is read
// here.
type Env struct {
	In          io.Reader
	Out         io.Writer
	Err         io.Writer
	InTerminal  bool // standard input is a terminal
	ErrTerminal bool // standard error is a terminal
	Color       bool // output may be coloured
	Dir         string
	Version     string
	Now         func() time.Time // only for how long a person has waited
	// Open returns the service for a project path ("": the one around the
	// folder) under the given flags, by the name of the flag. A server is
	// opened also where no package is; its status says so.
	Open func(ctx context.Context, path string, flags map[string]string, server bool) (*runtime.Service, error)
	// Serve speaks MCP over In and Out until In ends.
	Serve func(ctx context.Context, s *runtime.Service, flags map[string]string) error
	// ServeHTTP serves over HTTP until ctx ends; it tells ready its address once
	// it listens.
	ServeHTTP func(ctx context.Context, s *runtime.Service, flags map[string]string, ready func(url string)) error
}

// The exit statuses.
const (
	exitGood    = 0
	exitRefused = 1
	exitBroken  = 2
)

// refused is the error of a verb whose outcome was printed already.
var errRefused = errors.New("refused")

// errNoProject is the error of a verb that found no package, and said so.
var errNoProject = errors.New("no project")

// app is one run of the command line.
type app struct {
	env     Env
	flags   *pflag.FlagSet
	svc     *runtime.Service
	copy    *runtime.Service // the throw-away copy that a scenario ran on
	serving bool             // the verb is a server: it answers also where there is no package yet
	verb    *cobra.Command   // the verb that runs
	untimed bool             // the verb's answer depends on no instant and no seed: --frozen needs neither
}

// Run runs the command line and returns the exit status.
func Run(ctx context.Context, env Env, args []string) int {
	a := &app{env: env}
	root := a.root()
	if len(args) == 0 && !env.InTerminal {
		// A client starts the program without a verb: it speaks MCP.
		args = []string{"stdio"}
	}
	root.SetArgs(args)
	root.SetIn(env.In)
	root.SetOut(env.Out)
	root.SetErr(env.Err)
	err := root.ExecuteContext(ctx)
	for _, s := range []*runtime.Service{a.copy, a.svc} {
		if s != nil {
			s.Close(context.WithoutCancel(ctx))
		}
	}
	return a.status(err)
}

func (a *app) status(err error) int {
	var invalid *runtime.InvalidArguments
	var broken *runtime.Error
	switch {
	case err == nil:
		return exitGood
	case errors.Is(err, errRefused):
		return exitRefused
	case errors.Is(err, errNoProject):
		return exitBroken
	case errors.As(err, &invalid):
		if a.json() {
			a.printJSON(invalid)
			return exitBroken
		}
		for _, p := range invalid.Problems {
			fmt.Fprintf(a.env.Err, "ox-mcp: %s: expected %s, got %s\n", p.Path, p.Expected, p.Got)
			if p.Nearest != "" {
				fmt.Fprintf(a.env.Err, "        did you mean %s?\n", p.Nearest)
			}
		}
	case errors.As(err, &broken):
		if a.json() {
			a.printJSON(broken)
			return exitBroken
		}
		fmt.Fprintf(a.env.Err, "ox-mcp: %s (%s)\n", broken.Message, broken.Code)
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(a.env.Err, "ox-mcp: interrupted")
	default:
		fmt.Fprintf(a.env.Err, "ox-mcp: %v\n", err)
	}
	return exitBroken
}

func (a *app) printJSON(v any) {
	b, err := runtime.EncodeJSON(v)
	if err != nil {
		fmt.Fprintf(a.env.Err, "ox-mcp: %v\n", err)
		return
	}
	fmt.Fprintf(a.env.Out, "%s\n", b)
}

func (a *app) json() bool  { return a.flagBool("json") }
func (a *app) quiet() bool { return a.flagBool("quiet") }

func (a *app) flagBool(name string) bool {
	if a.flags == nil {
		return false
	}
	v, err := a.flags.GetBool(name)
	return err == nil && v
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "ox-mcp",
		Short: "A knowledge base in Argon that agents and people can edit, check, build, query and believe",
		Long: `ox-mcp checks, builds and serves packages of the ontology language Argon, as a
command line and as an MCP server over standard input and output. Rules and
checks run as WebAssembly modules under fuel and memory limits.

A verb takes the package as its first argument where that names a folder, an
.ar file or an .oxbin file; else it works on the package around it.`,
		Example: `  ox-mcp new harbour && cd harbour
  ox-mcp check
  ox-mcp query vessels
  ox-mcp explain-fact 'reach(a, c)'
  ox-mcp stdio .`,
		SilenceUsage:     true,
		SilenceErrors:    true,
		Version:          a.env.Version,
		PersistentPreRun: func(cmd *cobra.Command, _ []string) { a.verb = cmd },
		RunE: func(cmd *cobra.Command, args []string) error {
			return cmd.Help()
		},
	}
	root.SetVersionTemplate("ox-mcp {{.Version}}\n")
	f := root.PersistentFlags()
	f.String("project", "", "the package: a folder, an .ar file or an .oxbin file (the one around the folder)")
	f.String("fork", "", "the fork to work in (main)")
	f.StringSlice("standpoint", nil, "the standpoint to read from")
	f.String("as-of", "", "read the facts as of a stamp (the number after tt), or of a date")
	f.String("valid-at", "", "read what holds at a date or date-time")
	f.String("now", "", "the instant that every call sees, as 2031-07-04T10:00:00Z")
	f.String("seed", "", "the seed of new ids")
	f.Bool("frozen", false, "reproducible run: needs --now and --seed, pinned builds and what ox.lock says")
	f.String("storage", "", "where facts are kept: mem, which is all there is")
	f.String("reasoner", "", "the WebAssembly file of the reasoner")
	f.Bool("dev", false, "run plugin files without a pinned hash")
	f.StringSlice("grant", nil, "capabilities to grant")
	f.Bool("json", false, "print the answer as JSON, as the MCP tool gives it")
	f.Bool("quiet", false, "no progress on standard error")
	a.flags = f
	root.AddGroup(groups()...)
	root.AddCommand(group("sources", a.newPackage(), a.check(), a.format(), a.build(), a.test(), a.runAll(), a.dump(), a.explain())...)
	root.AddCommand(group("answers", a.recording(a.query()), a.recording(a.derive()), a.recording(a.explainFact()), a.expand(), a.checks(), a.why(),
		a.recording(a.mutate()), a.recording(a.compute()), a.runScenario(), a.schema(), a.epistemics(), a.statusVerb())...)
	root.AddCommand(group("serving", a.stdio(), a.serve())...)
	root.AddCommand(group("machine", a.settings(), a.plugin(), a.trust())...)
	root.SetUsageFunc(usage)
	root.CompletionOptions.HiddenDefaultCmd = true
	return root
}

// target splits the path off a verb's arguments: the first, where it names
// something that exists and can be a package.
func (a *app) target(args []string) (path string, rest []string) {
	if len(args) == 0 {
		return "", args
	}
	first := args[0]
	full := first
	if !filepath.IsAbs(full) {
		full = filepath.Join(a.env.Dir, full)
	}
	info, err := os.Stat(full)
	if err != nil {
		return "", args
	}
	ext := filepath.Ext(first)
	if info.IsDir() || ext == ".ar" || ext == ".oxbin" {
		return full, args[1:]
	}
	return "", args
}

// open gives the service of the verb's package and the words that stand behind
// the path: one for each of names, empty where it was left out. A word that has
// no place is refused: a mistake in a path must not be taken for leave to work
// on the package around the folder.
func (a *app) open(ctx context.Context, args []string, names ...string) (*runtime.Service, []string, error) {
	path, given := a.target(args)
	if len(given) > len(names) {
		return nil, nil, a.misplaced(path, given, names)
	}
	words := make([]string, len(names))
	copy(words, given)
	if path == "" {
		path, _ = a.flags.GetString("project")
	}
	flags := a.given()
	if a.untimed && flags["now"] == "" && flags["seed"] == "" {
		delete(flags, "frozen")
	}
	s, err := a.env.Open(ctx, path, flags, a.serving)
	a.svc = s
	return s, words, err
}

// misplaced is the error of more words than a verb takes.
func (a *app) misplaced(path string, given, names []string) error {
	expected := "a folder, an .ar file or an .oxbin file"
	if path == "" && len(names) == 0 {
		return runtime.Invalid("PATH", expected, given[0], "")
	}
	values := ""
	if a.verb != nil && a.verb.Flags().Lookup("arg") != nil {
		values = "; values are given as --arg name=value"
	}
	if path == "" && len(given) == len(names)+1 {
		return runtime.Invalid("PATH", expected+" before "+strings.Join(names, " ")+values, given[0], "")
	}
	if len(names) == 0 {
		return runtime.Invalid("PATH", "one path", path+" "+strings.Join(given, " "), "")
	}
	return runtime.Invalid(strings.Join(names, " "), "no more than that"+values, strings.Join(given, " "), "")
}

// given lists the flags that were set and are settings, and the global ones.
func (a *app) given() map[string]string {
	out := map[string]string{}
	// A flag set of cobra's does not visit what a verb's own set has parsed.
	a.flags.VisitAll(func(f *pflag.Flag) {
		if !f.Changed {
			return
		}
		if list, err := a.flags.GetStringSlice(f.Name); err == nil {
			text := ""
			for i, s := range list {
				if i > 0 {
					text += ","
				}
				text += s
			}
			out[f.Name] = text
			return
		}
		out[f.Name] = f.Value.String()
	})
	if a.verb != nil {
		if f := a.verb.Flags().Lookup("addr"); f != nil && f.Changed {
			out[f.Name] = f.Value.String()
		}
	}
	return out
}

// finish prints a result: as JSON, or by print; a refusal is told on standard
// error and ends with status 1.
func (a *app) finish(res runtime.Result, print func()) error {
	out := res.Outcomes()
	if a.json() {
		a.printJSON(res)
	} else {
		print()
		a.outcome(out)
	}
	return ending(out)
}

// ending is the error of a verb that has shown its outcome.
func ending(out *runtime.Outcome) error {
	switch {
	case out.Code == runtime.CodeNoProject:
		return errNoProject
	case out.Refused():
		return errRefused
	}
	return nil
}

// outcome tells a person why there is no answer, and what to do.
func (a *app) outcome(o *runtime.Outcome) {
	for _, l := range o.Lowered {
		fmt.Fprintf(a.env.Err, "note: the limit of %s was lowered to the ceiling\n", l)
	}
	if o.StaleArtifact && !o.Refused() {
		fmt.Fprintln(a.env.Err, "note: the answer is from an older build than the sources")
	}
	if o.LatestStamp != nil {
		fmt.Fprintf(a.env.Err, "note: nothing is recorded at that stamp yet; the answer is as of the latest one, %d\n", *o.LatestStamp)
	}
	if !o.Refused() {
		return
	}
	fmt.Fprintf(a.env.Err, "refused %s: %s\n", o.Code, o.Message)
	a.next(o)
}

// next tells a person the verb that moves on from a refusal.
func (a *app) next(o *runtime.Outcome) {
	if o.NextStep != nil {
		if fact, ok := o.NextStep.Arguments["fact"].(string); ok && o.NextStep.Tool == "argon_explain_fact" {
			fmt.Fprintf(a.env.Err, "next: ox-mcp explain-fact %s\n", runtime.ShellWord(fact))
		} else if verb, ok := verbOf[o.NextStep.Tool]; ok {
			fmt.Fprintf(a.env.Err, "next: ox-mcp %s\n", verb)
		}
	}
}

var verbOf = map[string]string{"argon_check": "check", "argon_build": "build", "argon_status": "status", "argon_why": "why"}

// progress returns a context under which progress goes to standard error, for
// what takes long enough to wonder about.
func (a *app) progress(ctx context.Context) context.Context {
	if a.quiet() || !a.env.ErrTerminal {
		return ctx
	}
	return runtime.WithProgress(ctx, newMeter(a.env.Err, a.env.Now).report)
}
