package runtime

// StatusResult is the answer of Status.
type StatusResult struct {
	Envelope
	LoadedModuleHash string            `json:"loadedModuleHash"`
	OnDiskOxbinHash  string            `json:"onDiskOxbinHash"`
	SourceDirty      bool              `json:"sourceDirty"`
	DirtyInputs      []string          `json:"dirtyInputs"`
	ArtifactLoaded   bool              `json:"artifactLoaded"`
	Profile          string            `json:"profile"`
	Fork             string            `json:"fork"`
	AsOf             AsOf              `json:"asOf"`
	Stamp            int64             `json:"stamp"` // latest transaction stamp of the scope
	DirtyPolicy      string            `json:"dirtyPolicy"`
	Limits           map[string]uint64 `json:"limits"`
	Capabilities     []string          `json:"capabilities"`
	Plugins          []PluginStatus    `json:"plugins"`
	Paths            map[string]string `json:"paths"`
	Notes            []string          `json:"notes,omitempty"` // ignored keys of ox.toml, watcher trouble, …
}

// PluginStatus describes one sandboxed build.
type PluginStatus struct {
	Build
	Plugin      string      `json:"plugin,omitempty"` // its name in the configuration; empty: a build that comes with the program
	World       string      `json:"world"`
	Metered     string      `json:"metered"` // BLAKE3 of the metered module
	Loaded      bool        `json:"loaded"`
	Grants      []string    `json:"grants"`
	Calls       uint64      `json:"calls"`
	Fuel        uint64      `json:"fuel"`
	Traps       uint64      `json:"traps"`                 // crashes, and answers that are none
	Refusals    uint64      `json:"refusals"`              // admissions refused, and calls that a limit stopped
	CacheHits   uint64      `json:"cacheHits"`             // states that were there already when a call needed one
	PeakMemory  uint64      `json:"peakMemory"`            // bytes of the largest instance after a call
	Compiled    string      `json:"compiled,omitempty"`    // "cached" or "cold": where its code came from; not in frozen runs
	Latency     *Latency    `json:"latency,omitempty"`     // not in frozen runs
	LastSwap    *SwapResult `json:"lastSwap,omitempty"`    // of the reasoner: the last try to put another build in its place
	Quarantined string      `json:"quarantined,omitempty"` // why the build is not called any more
	Problem     string      `json:"problem,omitempty"`     // why it cannot be used
}

// Latency is the wall time of calls, in microseconds. It is no part of any
// receipt.
type Latency struct {
	Mean      int64    `json:"mean"`
	Max       int64    `json:"max"`
	Histogram []Bucket `json:"histogram"` // without the empty buckets
}

// Bucket counts the calls of a latency histogram that took up to UpTo
// microseconds, and longer than the bucket before; 0 is without an end.
type Bucket struct {
	UpTo  int64  `json:"upTo,omitempty"`
	Calls uint64 `json:"calls"`
}
