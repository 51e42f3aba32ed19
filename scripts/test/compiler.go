package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// aptTime is how long the installation of a tool may take.
const aptTime = 3 * time.Minute

// tool is something that a part of the tests needs and Debian has.
type tool struct {
	purpose  string
	commands []string
	packages []string
}

var (
	gcc   = tool{"the race detector", []string{"gcc"}, []string{"gcc", "libc6-dev"}}
	clang = tool{"plugins in C", []string{"clang", "wasm-ld"}, []string{"clang", "lld"}}
)

// install says why a tool is not there, or "". Where the machine is a Debian
// that we may install on, it installs it.
func (t tool) install() string {
	lacks := t.lacks()
	if lacks == "" {
		return ""
	}
	if _, err := os.Stat("/etc/debian_version"); err != nil {
		return fmt.Sprintf("there is no %s, and this is no Debian on which it could be installed", lacks)
	}
	if os.Getuid() != 0 {
		return fmt.Sprintf("there is no %s, and only root may install it: apt-get install %s", lacks, strings.Join(t.packages, " "))
	}
	fmt.Printf("installing %s for %s\n", strings.Join(t.packages, " "), t.purpose)
	ctx, cancel := context.WithTimeout(context.Background(), aptTime)
	defer cancel()
	for _, args := range [][]string{{"update", "-q"}, append([]string{"install", "-q", "-y", "--no-install-recommends"}, t.packages...)} {
		c := exec.CommandContext(ctx, "apt-get", args...)
		c.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		if b, err := c.CombinedOutput(); err != nil {
			return fmt.Sprintf("there is no %s, and apt-get %s failed: %v: %s", lacks, args[0], err, lastLine(b))
		}
	}
	if lacks = t.lacks(); lacks != "" {
		return fmt.Sprintf("there is no %s, although %s is installed", lacks, strings.Join(t.packages, " "))
	}
	return ""
}

// lacks is a command that is not there, or "".
func (t tool) lacks() string {
	for _, c := range t.commands {
		if _, err := exec.LookPath(c); err != nil {
			return c
		}
	}
	return ""
}
