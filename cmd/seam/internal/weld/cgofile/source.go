package cgofile

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"

	"github.com/seamgo/seam/cmd/seam/internal/textedit"
)

//go:embed *.go
var source embed.FS

// SourceID is a hash of the source of this package and of what it edits with. What is built by a program
// that rewrites differently must not be taken from the go command's cache, and a
// number that is raised by hand is forgotten.
func SourceID() string { return Hash(source) + Hash(textedit.Source) }

// Hash hashes embedded files with their names.
func Hash(files embed.FS) string {
	h := sha256.New()
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := files.ReadFile(name)
		h.Write([]byte(name))
		h.Write([]byte{0})
		h.Write(text)
		return err
	})
	if err != nil {
		panic(err) // they are embedded
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}
