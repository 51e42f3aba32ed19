package coherence

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// WatchOptions say how files are watched.
type WatchOptions struct {
	// Files lists the files; it is asked again after each change. None needs to
	// be there.
	Files func() []string
	// Settle is how long the files must stay as they are before Changed is
	// called: writers write in steps.
	Settle time.Duration
	// Poll is how often the files are looked at in any case: the machine's
	// notices get lost on network folders, and some machines have none.
	Poll time.Duration
	// Changed is called after a change, from the goroutine of Watch.
	Changed func()
}

// Watch calls o.Changed when one of the files was made, changed or removed,
// until ctx ends. Where the machine gives no notices, polling is all there is.
func Watch(ctx context.Context, o WatchOptions) {
	notices, err := fsnotify.NewWatcher()
	var events chan fsnotify.Event
	if err == nil {
		defer notices.Close()
		events = notices.Events
		// An error is an overflow or a folder that went away: polling sees what
		// it hid.
		go func() {
			for range notices.Errors {
			}
		}()
	}
	watched := map[string]bool{}
	listen := func(files []string) {
		for _, f := range files {
			// The folder, since a file that is replaced is another file.
			if dir := filepath.Dir(f); notices != nil && !watched[dir] && notices.Add(dir) == nil {
				watched[dir] = true
			}
		}
	}
	files := o.Files()
	listen(files)
	last := fingerprints(files)
	poll := time.NewTicker(o.Poll)
	defer poll.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-events:
		case <-poll.C:
			listen(files)
		}
		now := fingerprints(files)
		if equalPrints(now, last) {
			continue
		}
		if now = settled(ctx, files, now, o.Settle); ctx.Err() != nil {
			return
		}
		o.Changed()
		files = o.Files()
		listen(files)
		// What changed while Changed ran is seen at the next look.
		next := map[string]fingerprint{}
		for _, f := range files {
			if p, ok := now[f]; ok {
				next[f] = p
			} else {
				// Nobody knows since when a file that is new here is as it is:
				// Changed is to look at it once more.
				next[f] = fingerprint{}
			}
		}
		last = next
	}
}

// settled waits until the files stay the same for a while.
func settled(ctx context.Context, files []string, now map[string]fingerprint, settle time.Duration) map[string]fingerprint {
	for {
		select {
		case <-ctx.Done():
			return now
		case <-time.After(settle):
		}
		next := fingerprints(files)
		if equalPrints(next, now) {
			return next
		}
		now = next
	}
}

// fingerprint tells a file from what it was before, mostly: its content is for
// Changed to look at.
type fingerprint struct {
	size     int64
	modified time.Time
	mode     fs.FileMode
	there    bool
}

func fingerprintOf(file string) fingerprint {
	info, err := os.Stat(file)
	if err != nil {
		return fingerprint{}
	}
	return fingerprint{info.Size(), info.ModTime(), info.Mode(), true}
}

func fingerprints(files []string) map[string]fingerprint {
	out := map[string]fingerprint{}
	for _, f := range files {
		out[f] = fingerprintOf(f)
	}
	return out
}

func equalPrints(a, b map[string]fingerprint) bool {
	if len(a) != len(b) {
		return false
	}
	for f, p := range a {
		q, ok := b[f]
		if !ok || p.size != q.size || !p.modified.Equal(q.modified) || p.mode != q.mode || p.there != q.there {
			return false
		}
	}
	return true
}
