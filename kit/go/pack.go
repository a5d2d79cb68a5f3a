//go:build ignore

// pack writes this module as a file proxy: go run pack.go FOLDER. Then it can be installed with GOPROXY=file://FOLDER.
package main

import (
	"archive/zip"
	"io"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"strings"
)

const (
	module  = "github.com/sitewire/sitewire-go"
	version = "v0.1.0"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: go run pack.go FOLDER")
	}
	folder := filepath.Join(os.Args[1], filepath.FromSlash(module), "@v")
	check(os.MkdirAll(folder, 0o755))
	manifest, err := os.ReadFile("go.mod")
	check(err)
	write(filepath.Join(folder, "list"), version+"\n")
	write(filepath.Join(folder, version+".info"), `{"Version":"`+version+`"}`)
	write(filepath.Join(folder, version+".mod"), string(manifest))

	file, err := os.Create(filepath.Join(folder, version+".zip"))
	check(err)
	archive := zip.NewWriter(file)
	check(filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path != "." && strings.HasPrefix(entry.Name(), ".") {
			if entry.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		if entry.IsDir() {
			return nil
		}
		return add(archive, path, path)
	}))
	// The go command does the same for a module in a subfolder of a repository.
	check(add(archive, "LICENSE", "../../LICENSE"))
	check(archive.Close())
	check(file.Close())
}

func add(archive *zip.Writer, name, path string) error {
	content, err := os.Open(path)
	if err != nil {
		return err
	}
	defer content.Close()
	entry, err := archive.Create(module + "@" + version + "/" + filepath.ToSlash(name))
	if err != nil {
		return err
	}
	_, err = io.Copy(entry, content)
	return err
}

func write(path, text string) {
	check(os.WriteFile(path, []byte(text), 0o644))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
