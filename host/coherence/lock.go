package coherence

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// lockLife is how long a lock holds. Its owner needs it for one rename and one
// read; what is older was left behind.
const lockLife = 10 * time.Second

// lockPoll is how often a held lock is tried again.
const lockPoll = 20 * time.Millisecond

// Lock takes the project's lock for the exchange of its artifact, and returns
// what gives it back. Nobody compiles or waits for anything under it, and who
// only reads does not take it. now is the clock that expiry is told by.
func (p *Project) Lock(ctx context.Context, now func() time.Time) (unlock func(), err error) {
	path := filepath.Join(p.Folder(), ".ox", "lock")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("lock the project: %w", err)
	}
	for {
		text := fmt.Sprintf("%d %d\n", os.Getpid(), now().Add(lockLife).UnixMilli())
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			_, err = f.WriteString(text)
			if closeErr := f.Close(); err == nil {
				err = closeErr
			}
			if err != nil {
				os.Remove(path)
				return nil, fmt.Errorf("lock the project: %w", err)
			}
			return func() {
				// Only our own: an expired lock may belong to somebody else by now.
				if held, err := os.ReadFile(path); err == nil && string(held) == text {
					os.Remove(path)
				}
			}, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("lock the project: %w", err)
		}
		if expired(path, now()) {
			os.Remove(path)
			continue
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lockPoll):
		}
	}
}

// expired reports whether a lock was left behind: its time is over, or it says
// nothing that a lock says although it has had time to.
func expired(path string, now time.Time) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	_, until, ok := strings.Cut(strings.TrimSpace(string(text)), " ")
	ms, err := strconv.ParseInt(until, 10, 64)
	if !ok || err != nil {
		return now.Sub(info.ModTime()) > lockLife
	}
	return now.UnixMilli() > ms
}
