package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// aptTime is how long the installation of a compiler may take.
const aptTime = 3 * time.Minute

// compiler says why there is no C compiler, which the race detector needs, or
// "". Where the machine is a Debian that we may install on, it installs one.
func compiler() string {
	if _, err := exec.LookPath("gcc"); err == nil {
		return ""
	}
	if _, err := os.Stat("/etc/debian_version"); err != nil {
		return "there is no gcc, and this is no Debian on which it could be installed"
	}
	if os.Getuid() != 0 {
		return "there is no gcc, and only root may install it: apt-get install gcc libc6-dev"
	}
	fmt.Println("installing gcc for the race detector")
	ctx, cancel := context.WithTimeout(context.Background(), aptTime)
	defer cancel()
	for _, args := range [][]string{{"update", "-q"}, {"install", "-q", "-y", "--no-install-recommends", "gcc", "libc6-dev"}} {
		c := exec.CommandContext(ctx, "apt-get", args...)
		c.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		if b, err := c.CombinedOutput(); err != nil {
			return fmt.Sprintf("there is no gcc, and apt-get %s failed: %v: %s", args[0], err, lastLine(b))
		}
	}
	return ""
}
