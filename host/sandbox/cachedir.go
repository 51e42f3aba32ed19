package sandbox

import (
	"errors"
	"os"
)

// ownDir makes dir if it is missing, and refuses one that others may write to
// or read: what is in it is run without a check.
func ownDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return errors.New("it is no folder")
	}
	return private(info)
}
