package settings

import "time"

const (
	kib = 1 << 10
	mib = 1 << 20
	gib = 1 << 30

	second = int64(time.Second)
	milli  = int64(time.Millisecond)
)

// All declares every setting, in the order of the documentation. It is not
// changed at run time.
var All = []Setting{
	{Key: "project", Kind: String, Flag: "project",
		Description: "The package to serve: a folder with an ox.toml, an .ar file or an .oxbin file. Unset: the nearest ox.toml upward from the working directory."},
	{Key: "workspace.root", Kind: String,
		Description: "The folder that every path dependency must stay in. Unset: the nearest ancestor of the package that holds .git, else the package's parent folder."},
	{Key: "paths.cache", Kind: String,
		Description: "Where compiled plugin code is cached. Unset: the user's cache folder."},
	{Key: "paths.state", Kind: String,
		Description: "Where this user's own records are kept, such as trusted packages. Unset: the user's state folder."},
	{Key: "dirtyPolicy", Kind: Enum, Default: "auto_build", Choices: []string{"auto_build", "refuse", "serve_stale"}, Hot: true,
		Description: "What a call does when the sources differ from the artifact: build first, refuse, or answer from the old module and say so."},
	{Key: "capabilities", Kind: List, Flag: "grant", Hot: true,
		Choices:     []string{"fork", "promote", "forget", "unsafe_logic", "model", "network", "write"},
		Description: "What callers are granted beyond reading and ordinary writes."},
	{Key: "scope.standpoint", Kind: String,
		Description: "The standpoint that calls read from and write to when they name none. Unset: none, the facts outside of standpoints."},
	{Key: "dev", Kind: Bool, Default: "false", Flag: "dev",
		Description: "Development mode: a plugin file may run without a pinned hash."},
	{Key: "trust.packages", Kind: List,
		Description: "Packages that may name plugins of their own, by the digest that `ox-mcp trust PATH` shows. Those that were trusted with that command count as well."},

	{Key: "mcp.toolsets", Kind: List, Default: "authoring,read,write,discovery,fork",
		Choices:     []string{"authoring", "read", "write", "discovery", "fork", "fork_full", "settings", "assist"},
		Description: "The groups of tools that the MCP server lists."},
	{Key: "mcp.maxLine", Kind: Bytes, Default: "16MiB", Min: 4 * kib, Max: 256 * mib,
		Description: "The longest line that the stdio transport reads, in bytes. A longer one is answered with an error and skipped."},
	{Key: "serve.addr", Kind: String, Default: "127.0.0.1:7780", Flag: "addr",
		Description: "The address that `ox-mcp serve` listens on, as HOST:PORT. The host is this machine's own network; port 0 takes a free one."},
	{Key: "explain.depth", Kind: Int, Default: "8", Min: 1, Max: 1000, PackageMay: PackageSets, Hot: true,
		Description: "Levels of a proof tree that are shown when the call does not say."},
	{Key: "explain.nodes", Kind: Int, Default: "200", Min: 1, Max: 100_000, PackageMay: PackageSets, Hot: true,
		Description: "Nodes of a proof tree that are shown when the call does not say."},

	{Key: "reasoner.path", Kind: String, Flag: "reasoner",
		Description: "The WebAssembly file of the reasoner. Unset: the build embedded in the program."},
	{Key: "reasoner.blake3", Kind: String,
		Description: "The BLAKE3-256 of the reasoner's file, in hexadecimal. Required with reasoner.path outside development mode."},
	{Key: "reasoner.grants", Kind: List, Choices: []string{"kernel", "log"},
		Description: "What the reasoner that reasoner.path names may import: log (lines for your log) and kernel (modules that it makes while it runs). Unset: nothing."},
	{Key: "reasoner.kernels", Kind: Bool, Default: "true",
		Description: "Whether the reasoner that is embedded in the program makes modules for rules that carry the load. The answers are the same; what they cost is not."},
	{Key: "reasoner.acceptDiff", Kind: String,
		Description: "The BLAKE3-256 of a reasoner whose answers may differ from those of the build before it: a running server swaps to it all the same."},

	{Key: "run.now", Kind: String, Flag: "now",
		Description: "The instant that every call sees as now, in RFC 3339 form, UTC. Unset: the clock."},
	{Key: "run.seed", Kind: String, Flag: "seed",
		Description: "The seed of new ids, in hexadecimal or any text. Unset: drawn at random for each call."},
	{Key: "run.frozen", Kind: Bool, Default: "false", Flag: "frozen",
		Description: "Reproducible runs: needs run.now and run.seed, evaluates each call on a fresh instance and puts its cost into the receipt."},

	{Key: "limits.fuel", Kind: Int, Default: "20000000000", Min: 1_000_000, Max: 1 << 62, PackageMay: PackageNarrows, Hot: true,
		Description: "Units of fuel that one call may spend."},
	{Key: "limits.loadFuel", Kind: Int, Default: "40000000000", Min: 1_000_000, Max: 1 << 62, PackageMay: PackageNarrows, Hot: true,
		Description: "Units of fuel to load a module and replay its store."},
	{Key: "limits.checkFuel", Kind: Int, Default: "5000000000", Min: 1_000_000, Max: 1 << 62, PackageMay: PackageNarrows, Hot: true,
		Description: "Units of fuel for the evaluation that a check or build does."},
	{Key: "limits.memory", Kind: Bytes, Default: "1GiB", Min: 4 * mib, Max: 4 * gib, PackageMay: PackageNarrows,
		Description: "Linear memory of one instance of the reasoner, in bytes."},
	{Key: "limits.totalMemory", Kind: Bytes, Default: "3GiB", Min: 16 * mib, Max: 1024 * gib,
		Description: "Linear memory of all instances together, in bytes."},
	{Key: "limits.deadline", Kind: Duration, Default: "30s", Min: 10 * milli, Max: 24 * 3600 * second, PackageMay: PackageNarrows, Hot: true,
		Description: "Wall time of one call."},
	{Key: "limits.depth", Kind: Int, Default: "1900", Min: 64, Max: 1950, PackageMay: PackageNarrows,
		Description: "Nested WebAssembly calls."},
	{Key: "limits.calls", Kind: Int, Default: "10000", Min: 1, Max: 10_000_000, PackageMay: PackageNarrows, Hot: true,
		Description: "Nested calls of functions and mutations of the language."},
	{Key: "limits.rounds", Kind: Int, Default: "1000000", Min: 1, Max: 1 << 40, PackageMay: PackageNarrows, Hot: true,
		Description: "Rounds of fixpoint evaluation in one call."},
	{Key: "limits.derived", Kind: Int, Default: "10000000", Min: 1, Max: 1 << 40, PackageMay: PackageNarrows, Hot: true,
		Description: "Tuples derived in one call."},
	{Key: "limits.rows", Kind: Int, Default: "200", Min: 1, Max: 1_000_000, PackageMay: PackageNarrows, Hot: true,
		Description: "Rows of one page of a result."},
	{Key: "limits.resultBytes", Kind: Bytes, Default: "16KiB", Min: kib, Max: gib, PackageMay: PackageNarrows, Hot: true,
		Description: "Bytes of one page of a result, as JSON."},
	{Key: "limits.unpagedChars", Kind: Int, Default: "40000", Min: 1000, Max: gib, PackageMay: PackageNarrows, Hot: true,
		Description: "Characters up to which a result comes whole when no page was asked for."},
	{Key: "limits.hostCalls", Kind: Int, Default: "10000", Min: 0, Max: 1 << 32, PackageMay: PackageNarrows, Hot: true,
		Description: "Calls that a plugin may make into the host during one call."},
	{Key: "limits.hostBytes", Kind: Bytes, Default: "16MiB", Min: 0, Max: gib, PackageMay: PackageNarrows, Hot: true,
		Description: "Bytes that a plugin may pass to the host during one call."},
	{Key: "limits.outputBytes", Kind: Bytes, Default: "16MiB", Min: kib, Max: gib, PackageMay: PackageNarrows, Hot: true,
		Description: "Bytes of a plugin's answer to one call."},
	{Key: "limits.sourceBytes", Kind: Bytes, Default: "8MiB", Min: kib, Max: gib, PackageMay: PackageNarrows, Hot: true,
		Description: "Bytes of source text and, separately, of each facts file of a package with its dependencies."},
	{Key: "limits.bodyBytes", Kind: Bytes, Default: "64KiB", Min: 16, Max: 64 * mib, PackageMay: PackageNarrows, Hot: true,
		Description: "Bytes of the text of an ad-hoc query or mutate."},
	{Key: "limits.compileDeadline", Kind: Duration, Default: "30s", Min: 100 * milli, Max: 3600 * second,
		Description: "Wall time to compile one plugin to machine code."},

	{Key: "evaluator.fuel", Kind: Int, Default: "500000000", Min: 1_000_000, Max: 1 << 62, PackageMay: PackageNarrows, Hot: true,
		Description: "Units of fuel for one call of a check evaluator."},
	{Key: "evaluator.memory", Kind: Bytes, Default: "64MiB", Min: mib, Max: 4 * gib, PackageMay: PackageNarrows,
		Description: "Linear memory of a check evaluator, in bytes."},
	{Key: "evaluator.deadline", Kind: Duration, Default: "2s", Min: 10 * milli, Max: 3600 * second, PackageMay: PackageNarrows, Hot: true,
		Description: "Wall time of one call of a check evaluator."},
}
