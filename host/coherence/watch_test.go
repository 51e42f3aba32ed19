package coherence

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

func TestWatchSeesFilesThatAreMadeChangedReplacedAndRemoved(t *testing.T) {
	dir := t.TempDir()
	file, other := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	changes := make(chan struct{}, 100)
	ctx, cancel := context.WithCancel(t.Context())
	var mu sync.Mutex
	list := []string{file}
	var done sync.WaitGroup
	started := make(chan struct{})
	var once sync.Once
	done.Go(func() {
		Watch(ctx, WatchOptions{
			Files: func() []string {
				defer once.Do(func() { close(started) })
				mu.Lock()
				defer mu.Unlock()
				return list
			},
			Settle: 5 * time.Millisecond, Poll: 20 * time.Millisecond, Changed: func() { changes <- struct{}{} },
		})
	})
	<-started
	expect := func(what string, act func()) {
		t.Helper()
		act()
		select {
		case <-changes:
		case <-time.After(20 * time.Second):
			t.Fatalf("no notice of %s", what)
		}
	}
	expect("a file that is made", func() {
		// The first look may come after the first write: it is repeated in
		// another size until it is noticed.
		for n := 1; ; n++ {
			write(file, string(make([]byte, n)))
			select {
			case <-changes:
				changes <- struct{}{}
				return
			case <-time.After(100 * time.Millisecond):
			}
			if n > 100 {
				return
			}
		}
	})
	expect("a change", func() {
		write(file, "something else that is longer than before, for sure longer than a hundred and one bytes, as counted by hand")
	})
	expect("a replacement", func() {
		write(other, "new")
		if err := os.Rename(other, file); err != nil {
			t.Fatal(err)
		}
	})
	mu.Lock()
	list = []string{file, other}
	mu.Unlock()
	expect("a removal", func() {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	})
	expect("a file that was added to the list", func() { write(other, "x") })
	cancel()
	done.Wait()
}
