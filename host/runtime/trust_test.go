package runtime

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestTrustFollowsTheContents walks through the life of a trusted package.
func TestTrustFollowsTheContents(t *testing.T) {
	h := openHostile(t, "plugin.toml")
	state := func() PackagePlugins { return h.trust.OfPackage(h.m, h.text, h.dir, false) }
	trust := func() {
		t.Helper()
		digest, _, err := trustDigest(h.m, h.text, h.dir)
		must(t, err)
		must(t, h.trust.add(TrustRecord{Digest: digest, Path: h.dir, At: time.Unix(1, 0)}))
	}
	if own := state(); own.Trusted || len(own.Ignored) != 1 || !strings.Contains(own.Ignored[0].Message, "ox-mcp trust") {
		t.Fatalf("at first: %+v", own)
	}
	trust()
	if own := state(); !own.Trusted || len(own.Plugins) != 1 || own.Plugins[0].Name != "digits" {
		t.Fatalf("trusted: %+v", own)
	}
	late := h.service(t, state().Plugins)
	h.place(t, "digits.wasm", "\x00asm something else")
	if _, err := late.evaluatorOf(late.plugins, "digits"); err != nil {
		t.Errorf("a file that changed after the start is looked at: %v", err)
	}
	h.place(t, "digits.wasm", emptyModule)
	listed := Trust{Listed: []string{state().Digest}}
	if own := listed.OfPackage(h.m, h.text, h.dir, false); !own.Trusted {
		t.Errorf("a digest in the configuration: %+v", own)
	}

	h.place(t, "digits.wasm", emptyModule+"\x00")
	if own := state(); own.Trusted || !strings.Contains(own.Ignored[0].Message, "has changed since") {
		t.Errorf("after the plugin changed: %+v", own)
	}
	h.place(t, "digits.wasm", emptyModule)
	if own := state(); !own.Trusted {
		t.Errorf("after the plugin is as it was: %+v", own)
	}
	must(t, os.Remove(filepath.Join(h.dir, "digits.wasm")))
	if own := state(); own.Trusted || !strings.Contains(own.Ignored[0].Message, "cannot be read") {
		t.Errorf("after the plugin went: %+v", own)
	}
	h.place(t, "digits.wasm", emptyModule)

	h.text = append(h.text, "# one more line\n"...)
	if own := state(); own.Trusted || own.Digest != "" {
		t.Errorf("after the manifest changed: %+v", own)
	}
	trust()
	if list, err := h.trust.List(); err != nil || len(list) != 1 || !state().Trusted {
		t.Errorf("trusted again: %+v, %v", list, err)
	}

	if n, err := h.trust.remove(h.dir, ""); n != 1 || err != nil || state().Trusted {
		t.Errorf("forgotten: %d, %v", n, err)
	}
	if n, err := h.trust.remove(h.dir, ""); n != 0 || err != nil {
		t.Errorf("forgotten twice: %d, %v", n, err)
	}
}

// TestRecordsOfOthersAreNotBelieved gives the folder of the records away.
func TestRecordsOfOthersAreNotBelieved(t *testing.T) {
	for _, c := range []struct {
		what string
		harm func(t *testing.T, h *hostile)
		want string
	}{
		{"folder open to others", func(t *testing.T, h *hostile) { must(t, os.Chmod(h.trust.Folder, 0o777)) }, "chmod 700"},
		{"link in its place", func(t *testing.T, h *hostile) {
			must(t, os.Rename(h.trust.Folder, h.trust.Folder+"2"))
			must(t, os.Symlink(h.trust.Folder+"2", h.trust.Folder))
		}, "no folder"},
		{"no JSON", func(t *testing.T, h *hostile) {
			must(t, os.WriteFile(filepath.Join(h.trust.Folder, trustName), []byte("{"), 0o600))
		}, "does not parse"},
		{"huge", func(t *testing.T, h *hostile) {
			must(t, os.Truncate(filepath.Join(h.trust.Folder, trustName), maxTrust+1))
		}, "no file of records"},
	} {
		t.Run(c.what, func(t *testing.T) {
			h := openHostile(t, "plugin.toml")
			digest, _, err := trustDigest(h.m, h.text, h.dir)
			must(t, err)
			must(t, h.trust.add(TrustRecord{Digest: digest, Path: h.dir}))
			c.harm(t, h)
			if own := h.trust.OfPackage(h.m, h.text, h.dir, false); own.Trusted || !strings.Contains(own.Ignored[0].Message, c.want) {
				t.Errorf("%+v, want a note with %q", own, c.want)
			}
		})
	}
}

func TestRecordsAreTheUsersOwn(t *testing.T) {
	h := openHostile(t, "plugin.toml")
	must(t, h.trust.add(TrustRecord{Digest: "a:b", Path: "/p"}))
	for name, want := range map[string]os.FileMode{h.trust.Folder: 0o700, filepath.Join(h.trust.Folder, trustName): 0o600} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v, want mode %v", name, info.Mode(), err, want)
		}
	}
}
