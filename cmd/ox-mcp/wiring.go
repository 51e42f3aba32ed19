package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ox-mcp/ox-mcp/abi"
	"github.com/ox-mcp/ox-mcp/host/argon"
	"github.com/ox-mcp/ox-mcp/host/argon/diag"
	"github.com/ox-mcp/ox-mcp/host/argon/load"
	"github.com/ox-mcp/ox-mcp/host/coherence"
	"github.com/ox-mcp/ox-mcp/host/httpapi"
	"github.com/ox-mcp/ox-mcp/host/mcp"
	"github.com/ox-mcp/ox-mcp/host/runtime"
	"github.com/ox-mcp/ox-mcp/host/sandbox"
	"github.com/ox-mcp/ox-mcp/host/settings"
	"github.com/ox-mcp/ox-mcp/host/store"
	"github.com/ox-mcp/ox-mcp/plugins"
)

// wiring builds a service from the machine: files, environment, clock.
type wiring struct {
	dir      string
	getenv   func(string) string
	environ  func() []string
	host     *sandbox.Host
	settings *settings.Resolved
	plugins  []runtime.PluginTable // of the user's file
	own      packageManifest       // of the package that is served
	served   *coherence.Project    // nil: none was found
	trust    *runtime.Trust
	judged   runtime.PackagePlugins // what own may say of plugins
	ignored  []runtime.Ignored      // settings of own that it may not set
	notes    []string               // that are of neither
}

// packageManifest is a package's ox.toml, as it is read and as it is written.
type packageManifest struct {
	*load.Manifest
	text []byte
	root string
}

// closeWait bounds the wait for the sandbox at the end: the process ends
// anyway, and what is still held then goes with it.
const closeWait = 5 * time.Second

func (w *wiring) close(ctx context.Context) {
	if w.host == nil {
		return
	}
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		w.host.Close(ctx)
	}()
	select {
	case <-closed:
	case <-time.After(closeWait):
		fmt.Fprintln(os.Stderr, "ox-mcp: an instance of a plugin was still held at the end; this is a fault of ox-mcp, please report what you ran")
	}
}

// strangers tells of variables that look like settings and are none: a limit
// that somebody believes in must not be missing in silence.
func (w *wiring) strangers() []string {
	known := map[string]bool{}
	var names []string
	for i := range settings.All {
		known[settings.All[i].Env()] = true
		names = append(names, settings.All[i].Env())
	}
	var out []string
	for _, pair := range w.environ() {
		name, _, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, "OX_MCP_") || known[name] {
			continue
		}
		note := "the variable " + name + " is no setting, and is ignored"
		if near, ok := diag.Nearest(name, names); ok {
			note += "; did you mean " + near + "?"
		}
		out = append(out, note)
	}
	return out
}

// settingFlags are the command line's flags that are settings.
var settingFlags = map[string]string{
	"project": "project", "now": "run.now", "seed": "run.seed", "frozen": "run.frozen",
	"reasoner": "reasoner.path", "dev": "dev", "grant": "capabilities", "addr": "serve.addr",
}

// open finds the project, resolves the settings in their layers, and makes
// the service. It compiles no plugin.
func (w *wiring) open(ctx context.Context, path string, flags map[string]string, server bool) (*runtime.Service, error) {
	if !server {
		paceCollector(w.getenv)
	}
	if s := flags["storage"]; s != "" && s != "mem" {
		return nil, broken("STORAGE", fmt.Errorf("--storage %s is not there yet: facts are kept in memory (mem)", s))
	}
	operator, err := w.operatorLayers(flags)
	if err != nil {
		return nil, err
	}
	resolved, _ := settings.Resolve(operator...)
	notes := w.strangers()
	for _, n := range notes {
		fmt.Fprintln(os.Stderr, "ox-mcp: "+n)
	}
	project, err := w.project(ctx, path, resolved)
	if err != nil && !server {
		return nil, err
	}
	if err != nil {
		notes = append(notes, err.Error())
	}
	if server && project != nil {
		project.Session = &argon.Session{} // it compiles after each edit, and lives long
	}
	layers := operator
	if w.own = manifestOf(ctx, project); w.own.Manifest != nil {
		layers = append(layers, settings.FromTree(settings.LayerPackage, w.own.Path, w.own.Settings))
	}
	var problems []settings.Problem
	var ignored []runtime.Ignored
	w.settings, problems = settings.Resolve(layers...)
	for _, p := range problems {
		if p.Layer != settings.LayerPackage {
			return nil, broken("SETTING", fmt.Errorf("%s: %s: %s", p.Source, p.Key, p.Message))
		}
		ignored = append(ignored, runtime.Ignored{Key: p.Key, Message: p.Message})
	}
	return w.service(ctx, project, notes, ignored)
}

func broken(code string, err error) error {
	return &runtime.Error{Status: 400, Code: code, Message: err.Error()}
}

// operatorLayers are the layers that the person at the machine controls.
func (w *wiring) operatorLayers(flags map[string]string) ([]settings.Source, error) {
	given := map[string]string{}
	for flag, key := range settingFlags {
		if v, ok := flags[flag]; ok {
			given[key] = v
		}
	}
	layers := []settings.Source{settings.FromEnvironment(w.getenv), settings.FromFlags(given)}
	file := w.userFile()
	text, err := os.ReadFile(file)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return layers, nil
	case err != nil:
		return nil, broken("SETTING", fmt.Errorf("read the user's settings: %w", err))
	}
	user, err := settings.FromTOML(settings.LayerUser, file, text)
	if err != nil {
		return nil, broken("SETTING", err)
	}
	tables, err := settings.Tables(file, text, "plugins")
	if err == nil {
		w.plugins, err = runtime.PluginTables(tables, file, filepath.Dir(file))
	}
	if err != nil {
		return nil, broken("SETTING", err)
	}
	return append(layers, user), nil
}

func (w *wiring) configFolder() string {
	if dir := w.getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(w.getenv("HOME"), ".config")
}

// userFile is the operator's own configuration.
func (w *wiring) userFile() string { return filepath.Join(w.configFolder(), "ox-mcp", "config.toml") }

// stateFolder is where the user's own records are; "" where there is no home.
func (w *wiring) stateFolder() string {
	if dir := w.settings.Text("paths.state"); dir != "" {
		return dir
	}
	base := w.getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(base) {
		home := w.getenv("HOME")
		if home == "" {
			return ""
		}
		base = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(base, "ox-mcp")
}

// manifestOf reads the package's own manifest, which can only narrow.
func manifestOf(ctx context.Context, p *coherence.Project) packageManifest {
	if p == nil || !p.Sources() {
		return packageManifest{}
	}
	ws, err := p.LoadManifest(ctx)
	if err != nil || ws.Main == nil || ws.Main.Manifest == nil {
		return packageManifest{}
	}
	text, _ := ws.Text(ws.Main.Manifest.Path)
	return packageManifest{ws.Main.Manifest, []byte(text), p.Folder()}
}

// project finds the package: the given path, the setting, or the folder that
// the command runs in. That there is none is no error where none was named.
func (w *wiring) project(ctx context.Context, path string, r *settings.Resolved) (*coherence.Project, error) {
	named := path != "" || r.Text("project") != ""
	if path == "" {
		path = r.Text("project")
	}
	if path == "" {
		path = w.dir
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(w.dir, path)
	}
	p, err := coherence.Find(path)
	if err != nil {
		if !named {
			return nil, nil
		}
		return nil, broken("NO_PROJECT", err)
	}
	p.WorkspaceRoot, p.SourceLimit = r.Text("workspace.root"), r.Int("limits.sourceBytes")
	if path, err := os.Executable(); err == nil {
		p.Maker, _ = coherence.MakerOf(path) // else nothing is noted, as of a compiler that has no file
	}
	p, apart := p.Apart(ctx, path)
	if apart {
		fmt.Fprintf(os.Stderr, "note: %s is no module of the package around it, and is taken by itself\n", filepath.Base(path))
	}
	return p, nil
}

func (w *wiring) service(ctx context.Context, project *coherence.Project, notes []string, ignored []runtime.Ignored) (*runtime.Service, error) {
	w.served, w.notes, w.ignored = project, notes, ignored
	w.trust = &runtime.Trust{Folder: w.stateFolder(), Listed: w.settings.List("trust.packages"), Clock: time.Now}
	w.judged = w.trust.OfPackage(w.own.Manifest, w.own.text, w.own.root, w.settings.Bool("dev"))
	set := w.pluginSet(w.plugins, w.judged)
	cfg := runtime.Config{
		Project: project, Settings: w.settings, Notes: set.Notes, Log: store.NewMemory(), Clock: time.Now, Random: rand.Reader,
		Reasoner: w.reasoner(w.judged.Reasoner), Embedded: w.embeddedReasoner(), Evaluator: embedded("embedded check evaluator", plugins.Evaluator, plugins.EvaluatorHash), Frozen: w.settings.Bool("run.frozen"),
		Plugins: set.Tables, Ignored: set.Ignored, Trust: w.trust, UserFile: w.userFile(),
	}
	if text := w.settings.Text("run.now"); text != "" {
		now, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			return nil, broken("SETTING", fmt.Errorf("--now takes an instant such as 2031-07-04T10:00:00Z, not %q", text))
		}
		cfg.Now = &now
	}
	if text := w.settings.Text("run.seed"); text != "" {
		cfg.Seed = []byte(text)
	}
	if cfg.Frozen && (cfg.Now == nil || cfg.Seed == nil) {
		return nil, broken("SETTING", errors.New("--frozen needs --now and --seed: without them no two runs are equal"))
	}
	if cfg.Frozen && w.settings.Bool("dev") {
		return nil, broken("SETTING", errors.New("--frozen does not go with --dev: a frozen run needs the pin of every plugin file"))
	}
	host, err := sandbox.New(ctx, sandbox.Config{CacheDir: w.cacheFolder(), TotalMemory: w.settings.Uint("limits.totalMemory"), CompileTime: w.settings.Duration("limits.compileDeadline"), Now: time.Now})
	if err != nil {
		return nil, broken("SANDBOX", err)
	}
	w.host, cfg.Host = host, host
	return runtime.New(cfg)
}

// pluginSet is what the operator's file and the package say of plugins.
func (w *wiring) pluginSet(operator []runtime.PluginTable, own runtime.PackagePlugins) runtime.PluginSet {
	set := runtime.PluginSet{Tables: slices.Concat(operator, own.Plugins), Ignored: slices.Concat(w.ignored, own.Ignored), Notes: slices.Clone(w.notes)}
	for _, i := range set.Ignored {
		set.Notes = append(set.Notes, fmt.Sprintf("%s: %s is ignored: %s", w.own.Path, i.Key, i.Message))
	}
	return set
}

func (w *wiring) cacheFolder() string {
	if dir := w.settings.Text("paths.cache"); dir != "" {
		return dir
	}
	base := w.getenv("XDG_CACHE_HOME")
	if !filepath.IsAbs(base) {
		home := w.getenv("HOME")
		if home == "" {
			return ""
		}
		base = filepath.Join(home, ".cache")
	}
	return filepath.Join(base, "ox-mcp")
}

func embedded(name string, read func() ([]byte, error), hash func() string) runtime.PluginSource {
	wasm, err := read()
	return runtime.PluginSource{Name: name, Wasm: wasm, Hash: hash(), Err: err, Embedded: true}
}

// embeddedReasoner is the program's own, and so may have what it can do without.
func (w *wiring) embeddedReasoner() runtime.PluginSource {
	source := embedded("embedded reasoner", plugins.Reasoner, plugins.ReasonerHash)
	if w.settings.Bool("reasoner.kernels") {
		source.Grants = []string{abi.GrantKernel}
	}
	return source
}

// reasoner is the operator's own build, else that of a trusted package, else
// the embedded one. A file is pinned by its hash outside development mode.
func (w *wiring) reasoner(ofPackage *runtime.PluginSource) runtime.PluginSource {
	path, pin := w.settings.Text("reasoner.path"), w.settings.Text("reasoner.blake3")
	switch {
	case path == "" && ofPackage != nil:
		return *ofPackage
	case path == "":
		return w.embeddedReasoner()
	}
	source := runtime.PluginSource{Name: "reasoner " + filepath.Base(path), Grants: w.settings.List("reasoner.grants"), GrantsIn: "reasoner.grants"}
	if !filepath.IsAbs(path) {
		path = filepath.Join(w.dir, path)
	}
	if source.Wasm, source.Err = runtime.ReadPlugin(path); source.Err != nil {
		return source
	}
	if pin == "" && !w.settings.Bool("dev") {
		source.Err = fmt.Errorf("the reasoner %s has no pin: set reasoner.blake3 to %s, or run with --dev", path, runtime.PinOf(source.Wasm))
	} else {
		source.Err = runtime.CheckPin("the reasoner "+path, source.Wasm, pin)
	}
	return source
}

// serve speaks MCP over standard input and output.
func (w *wiring) serve(ctx context.Context, s *runtime.Service, flags map[string]string) error {
	watching, stop := context.WithCancel(ctx)
	watched := w.watch(watching, s, flags, os.Stderr)
	defer func() {
		stop()
		<-watched
	}()
	o := w.protocol(s)
	o.In, o.Out = os.Stdin, os.Stdout
	return mcp.Serve(ctx, s, o)
}

// serveHTTP answers over HTTP until ctx ends; ready is told the address.
func (w *wiring) serveHTTP(ctx context.Context, s *runtime.Service, flags map[string]string, ready func(url string)) error {
	protocol, err := mcp.NewStreamable(s, w.protocol(s))
	if err != nil {
		return broken("SETTING", err)
	}
	l, err := httpapi.Listen(w.settings.Text("serve.addr"))
	if err != nil {
		return err
	}
	watching, stop := context.WithCancel(ctx)
	watched := w.watch(watching, s, flags, os.Stderr)
	announced := make(chan struct{})
	go func() {
		defer close(announced)
		protocol.Announce(watching)
	}()
	defer func() {
		stop()
		<-watched
		<-announced
	}()
	ready("http://" + l.Addr().String())
	return httpapi.Serve(ctx, l, s, httpapi.Options{MCP: protocol, Version: version, ErrorLog: os.Stderr})
}

// protocol are the options of the protocol, whatever it goes over.
func (w *wiring) protocol(s *runtime.Service) mcp.Options {
	return mcp.Options{
		ErrorLog: os.Stderr, Version: version, MaxLine: int(w.settings.Int("mcp.maxLine")),
		Toolsets: toolsets(w.settings.List("mcp.toolsets")), Reloaded: s.Reloaded(),
	}
}

// toolsets leaves out the sets of tools that are not there yet.
func toolsets(asked []string) []string {
	out := []string{}
	for _, have := range mcp.Toolsets() {
		for _, a := range asked {
			if a == have {
				out = append(out, have)
			}
		}
	}
	return out
}
