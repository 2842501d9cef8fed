package rings

import (
	"context"
	_ "embed"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/seamgo/seam"
	"github.com/seamgo/seam/cmd/seam/internal/filecache"
	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/progcache"
	"github.com/seamgo/seam/cmd/seam/internal/lab/subprocess"
	"github.com/seamgo/seam/include"
)

//go:embed peer.py
var pythonPeer string

// startPython starts the other side in Python, with package seam_ring as it is here.
func startPython(ctx context.Context) (*subprocess.Child, error) {
	python, err := exec.LookPath("python3")
	if err != nil {
		return nil, lab.Skip("there is no python3: install it")
	}
	version, err := exec.CommandContext(ctx, python, "-VV").Output()
	if err != nil {
		return nil, lab.Skip("python3 doesn't start: %v", err)
	}
	folder, err := buildPython(ctx, python, string(version))
	if err != nil {
		return nil, lab.Skip("package seam_ring can't be built: %v", err)
	}
	return subprocess.StartProgram(ctx, python, filepath.Join(folder, "peer.py"))
}

// buildPython returns a folder with the package and the program that uses it.
func buildPython(ctx context.Context, python, version string) (string, error) {
	files := map[string]string{"peer.py": pythonPeer}
	if err := progcache.AddFiles(files, ".", seam.Python); err != nil {
		return "", err
	}
	if err := progcache.AddFiles(files, "include", include.Files); err != nil {
		return "", err
	}
	cache, err := filecache.Open("ring")
	if err != nil {
		return "", err
	}
	sum := progcache.KeyOfFiles(files)
	key := filecache.KeyOf(python, version, os.Getenv("CC"), string(sum[:]))
	return cache.Path(key, func(folder string) error {
		defer cache.Trim()
		if err := progcache.WriteFiles(folder, files); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(ctx, 40*time.Second)
		defer cancel()
		out, err := exec.CommandContext(ctx, python, filepath.Join(folder, "python", "build.py"), folder, filepath.Join(folder, "include")).CombinedOutput()
		if err != nil {
			line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
			return errors.Join(err, errors.New(line))
		}
		return nil
	})
}
