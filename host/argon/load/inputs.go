package load

import (
	"maps"
	"path"
	"slices"
)

// LockName is the lock file beside a manifest.
const LockName = "ox.lock"

// maxInputBytes bounds, as a multiple of the source limit, what is read of
// sources that no module names.
const maxInputBytes = 4

// gatherInputs completes the inputs: every source of every package, also one
// that no module names yet, because a module may name it by the next edit.
func (l *loader) gatherInputs(lone bool) {
	var total int64
	for _, p := range l.ws.Packages {
		if p == l.ws.Std || lone {
			continue
		}
		sources, err := l.files.Sources(p.Root)
		if err != nil {
			l.inputs[p.Root] = Input{Path: p.Root, Err: err}
		}
		root, _ := l.files.Real(p.Root)
		for _, file := range append(sources, path.Join(p.Root, LockName)) {
			if l.ctx.Err() != nil {
				return
			}
			// A link out of the package is no input: no module may be one.
			if real, err := l.files.Real(file); err != nil || !within(root, real) {
				continue
			}
			if total > maxInputBytes*l.limit {
				l.inputs[file] = Input{Path: file, Err: ErrTooLarge}
				continue
			}
			text, _ := l.read(file)
			total += int64(len(text))
		}
	}
	for _, file := range slices.Sorted(maps.Keys(l.inputs)) {
		l.ws.Inputs = append(l.ws.Inputs, l.inputs[file])
	}
}
