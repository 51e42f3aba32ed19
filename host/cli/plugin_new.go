package cli

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/ox-mcp/ox-mcp/host/runtime"
	"github.com/spf13/cobra"
)

// skeletons has a folder a language, one with a package to try the plugin on,
// and the parts of the README that all languages share.
//
//go:embed skeleton
var skeletons embed.FS

const (
	// skeletonName stands in the skeletons for the name of the plugin.
	skeletonName = "SKELETON"
	// skeletonEnding is on files that would mean something to our own build.
	skeletonEnding = ".tmpl"
)

// skeletonLanguages are the folders of skeletons that a plugin can begin with.
var skeletonLanguages = [...]string{"go", "c", "rust"}

// skeletonNames are names that a plugin, a check's attribute, and the build
// tools of all languages can have.
var skeletonNames = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,63}$`)

func (a *app) pluginNew() *cobra.Command {
	var lang string
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "Make a check evaluator to start from, in Go, C or Rust",
		Long: `Makes the folder NAME with the sources of a check evaluator that works, a README
that says how it is built, and a package to try it on. The last part of NAME is
the plugin's name, as a check's #[evaluator(…)] has it.`,
		Example: `  ox-mcp plugin new digits --lang go
  ox-mcp plugin new digits --lang c`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := a.full(args[0])
			files, err := pluginSkeleton(filepath.Base(dir), lang)
			if err != nil {
				return err
			}
			if err := a.makeFiles(dir, args[0], files); err != nil {
				return err
			}
			fmt.Fprintf(a.env.Err, "next: cd %s, and build it as its README.md says\n", args[0])
			return nil
		},
	}
	cmd.Flags().StringVar(&lang, "lang", skeletonLanguages[0], "the language: "+strings.Join(skeletonLanguages[:], ", "))
	return cmd
}

// pluginSkeleton returns the files of a new plugin.
func pluginSkeleton(name, lang string) ([]runtime.NewFile, error) {
	if !skeletonNames.MatchString(name) {
		return nil, runtime.Invalid("NAME", "up to 64 of a-z, A-Z, 0-9 and _, beginning with a letter", name, "")
	}
	known := false
	for _, l := range skeletonLanguages {
		known = known || l == lang
	}
	if !known {
		return nil, runtime.Invalid("--lang", "one of "+strings.Join(skeletonLanguages[:], ", "), lang, "")
	}
	var files []runtime.NewFile
	if err := appendSkeleton(&files, name, "skeleton/"+lang, ""); err != nil {
		return nil, err
	}
	if err := appendSkeleton(&files, name, "skeleton/try", "try"); err != nil {
		return nil, err
	}
	head, err := skeletons.ReadFile("skeleton/README.head.md")
	if err != nil {
		return nil, err
	}
	tail, err := skeletons.ReadFile("skeleton/README.tail.md")
	if err != nil {
		return nil, err
	}
	for i := range files {
		if files[i].Path == "README.md" {
			files[i].Text = strings.ReplaceAll(string(head), skeletonName, name) + files[i].Text + strings.ReplaceAll(string(tail), skeletonName, name)
		}
	}
	return append(files, runtime.NewFile{Path: ".gitignore", Text: "*.wasm\ntarget/\n.ox/\n"}), nil
}

// appendSkeleton appends the files of an embedded folder, to be made in the
// folder under of the plugin.
func appendSkeleton(files *[]runtime.NewFile, name, from, under string) error {
	return fs.WalkDir(skeletons, from, func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasSuffix(p, "_test.go") {
			return err
		}
		text, err := skeletons.ReadFile(p)
		if err != nil {
			return err
		}
		to := strings.TrimSuffix(path.Join(under, strings.TrimPrefix(p, from+"/")), skeletonEnding)
		*files = append(*files, runtime.NewFile{Path: to, Text: strings.ReplaceAll(string(text), skeletonName, name)})
		return nil
	})
}

// makeFiles writes the files of a folder that is not there yet. shown is the
// folder as the caller wrote it.
func (a *app) makeFiles(dir, shown string, files []runtime.NewFile) error {
	if _, err := os.Stat(dir); err == nil {
		return &runtime.Error{Status: 400, Code: "EXISTS", Message: dir + " exists already; choose another name"}
	}
	for _, f := range files {
		to := filepath.Join(dir, f.Path)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(to, []byte(f.Text), 0o644); err != nil {
			return err
		}
		fmt.Fprintf(a.env.Out, "made %s\n", filepath.Join(shown, f.Path))
	}
	return nil
}
