//go:build cgo

package lifetime

import (
	"context"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"runtime"

	"github.com/seamgo/seam"
	"github.com/seamgo/seam/cmd/seam/internal/filecache"
	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/progcache"
)

// The files of this package that the idioms are made of, so that what is judged is
// what is measured.
//
//go:embed idioms.go lifetime.h lifetime.c malloc.c
var idiomFiles embed.FS

// The idioms are compiled in a module that has the name of ours and holds packages leaf
// and mem, in the folder that they have here: their flags name the headers from there.
const idiomsDir = "cmd/seam/internal/lab/experiment/lifetime"

// probeVerdicts has the installed go command judge the idioms.
func probeVerdicts(ctx context.Context, mode lab.Mode) ([]lab.Metric, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, progcache.TimeLimit(mode), fmt.Errorf("it took more than %v", progcache.TimeLimit(mode)))
	defer cancel()
	version, printed, err := judged(ctx)
	if err != nil {
		return nil, err
	}
	source, err := idiomFiles.ReadFile(idiomsFile)
	if err != nil {
		return nil, err
	}
	all, err := verdicts(string(source), printed)
	if err != nil {
		return nil, fmt.Errorf("lifetime: reading the idioms: %w", err)
	}
	judge := "judged by the compiler of " + version
	if version != runtime.Version() {
		judge += ", while " + runtime.Version() + " made what is measured"
	}
	list := []lab.Metric{{Unit: unitIdioms, Value: float64(len(idioms)), Label: judge}}
	for _, d := range idioms {
		v, ok := all[d.function]
		if !ok {
			return nil, fmt.Errorf("lifetime: %s has no function %s", idiomsFile, d.function)
		}
		list = append(list, lab.Metric{Name: d.verdictName(), Unit: unitEscapes, Value: float64(v.escapes), Label: d.label + ": " + v.text})
	}
	return list, nil
}

// judged is what the compiler prints about the idioms, and its version. Each version is
// asked once, and its answer is kept.
func judged(ctx context.Context) (version, printed string, err error) {
	tool, err := exec.LookPath("go")
	if err != nil {
		return "", "", lab.Skip("the go command says what escapes, and there is none: %v", err)
	}
	env := []string{"GOPROXY=off", "CGO_ENABLED=1"}
	settings, err := progcache.Env(ctx, tool, env)
	if err != nil {
		return "", "", lab.Skip("the go command can't be asked what escapes: %v", err)
	}
	files, err := module()
	if err != nil {
		return "", "", err
	}
	cache, _ := filecache.Open("lifetime") // without one the compiler is asked each time
	key := progcache.KeyOf(settings, files)
	if text, ok := cache.Get(key); ok {
		return settings.GOVERSION, string(text), nil
	}
	work, err := os.MkdirTemp("", "seam-lifetime-")
	if err != nil {
		return "", "", lab.Skip("no folder to compile the idioms in: %v", err)
	}
	defer os.RemoveAll(work)
	if err := progcache.WriteFiles(work, files); err != nil {
		return "", "", lab.Skip("can't write the idioms: %v", err)
	}
	printed, err = progcache.Run(ctx, work, env, tool, "build", "-gcflags=-m=2", "./"+idiomsDir)
	if err != nil {
		return "", "", lab.Skip("can't compile the idioms: %v", err)
	}
	_ = cache.Put(key, []byte(printed))
	cache.Trim()
	return settings.GOVERSION, printed, nil
}

// module is all files that the idioms are compiled from, by path.
func module() (map[string]string, error) {
	files := map[string]string{"go.mod": progcache.GoMod}
	if err := progcache.AddFiles(files, idiomsDir, idiomFiles); err != nil {
		return nil, err
	}
	return files, progcache.AddFiles(files, "", seam.Crossing)
}
