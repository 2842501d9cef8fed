// Command pictures draws the picture at the top of README.md, light and dark, from the
// figures in its tables: a picture can't show another number than the text. Run it at the
// root of the repository, by make pictures.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

func run() error {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		return err
	}
	pictures, err := draw(string(readme))
	if err != nil {
		return err
	}
	for name, svg := range pictures {
		if err := os.WriteFile(filepath.FromSlash(name), []byte(svg), 0o666); err != nil {
			return err
		}
	}
	return nil
}
