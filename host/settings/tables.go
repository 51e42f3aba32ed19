package settings

import (
	"fmt"

	"github.com/pelletier/go-toml/v2"
)

// Tables returns the table of a configuration file that declares things by
// name, such as plugins; nil if there is none. name is the file, for errors.
func Tables(name string, text []byte, key string) (map[string]any, error) {
	var tree map[string]any
	if err := toml.Unmarshal(text, &tree); err != nil {
		return nil, fmt.Errorf("read settings %s: %w", name, err)
	}
	switch t := tree[key].(type) {
	case nil:
		return nil, nil
	case map[string]any:
		return t, nil
	}
	return nil, fmt.Errorf("read settings %s: %s is a table", name, key)
}
