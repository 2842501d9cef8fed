// Package doctor looks at what decides how a build calls C: the go command's settings, the C
// compiler, the kernel, the machine. Each thing that is wrong is a [Finding] with what to
// do about it.
//
// The build is that of the folder at hand, not of the program that asks: seam itself may
// have been built on another machine, and without cgo.
package doctor

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/compiler"
	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/jsonfile"
	"github.com/seamgo/seam/cmd/seam/internal/machine"
)

// A Report is all that was found.
type Report struct {
	Seam     string            `json:"seam"`
	Build    Build             `json:"build"`
	Ways     []Way             `json:"ways"`
	Kernel   []machine.Setting `json:"kernel"`
	Machine  machine.Facts     `json:"machine"`
	Findings []Finding         `json:"findings"`
}

// A Build is how the go command builds in a folder.
type Build struct {
	Folder  string         `json:"folder"`
	Module  string         `json:"module,omitempty"` // the go.mod; "" outside of modules
	Go      string         `json:"go,omitempty"`
	GOOS    string         `json:"goos,omitempty"`
	GOARCH  string         `json:"goarch,omitempty"`
	GOFLAGS string         `json:"goflags,omitempty"`
	Cgo     bool           `json:"cgo"`
	NoCgo   string         `json:"no_cgo,omitempty"` // why Cgo is false
	C       compiler.State `json:"cc"`
	CXX     compiler.State `json:"cxx"`

	Env *gotool.Env `json:"-"` // nil if the go command didn't answer

	noCgoFix string
}

// A Way is a part of Seam that programs use, and how it works in this build.
type Way struct {
	Name string `json:"name"`
	Says string `json:"says"`
	Slow bool   `json:"slow"`          // a slower way than there is, or none
	Why  string `json:"why,omitempty"` // where Slow is set
	Fix  string `json:"fix,omitempty"`
}

// The areas of findings.
const (
	AreaBuild   = "build"   // C can't be called, or only slowly
	AreaKernel  = "kernel"  // a setting
	AreaMeasure = "measure" // what can't be measured here, or not well
)

// A Finding is something that is wrong.
type Finding struct {
	Area string `json:"area"`
	What string `json:"what"`
	Why  string `json:"why"`
	Fix  string `json:"fix"`
}

var kind = jsonfile.Kind{Schema: "seam.doctor/1"}

// WriteJSON writes the report for other programs.
func (r *Report) WriteJSON(w io.Writer) error { return kind.Encode(w, r) }

// Look looks at the build in a folder, and at this machine.
func Look(ctx context.Context, dir, seam string) *Report {
	r := &Report{Seam: seam, Ways: []Way{}, Kernel: []machine.Setting{}, Machine: machine.Read(), Findings: []Finding{}}
	r.build(ctx, dir)
	for _, s := range machine.Settings() {
		r.Kernel = append(r.Kernel, s)
		if s.Fix != "" {
			r.find(AreaKernel, s.Name+" is "+s.Value, s.Means, s.Fix)
		}
	}
	for _, l := range machine.Limits() {
		r.find(AreaMeasure, l.What, l.Why, l.Fix)
	}
	return r
}

func (r *Report) find(area, what, why, fix string) {
	r.Findings = append(r.Findings, Finding{area, what, why, fix})
}

// build asks the go command and the compilers. A compiler for C++ that is missing is no
// finding by itself: most packages with C need none.
func (r *Report) build(ctx context.Context, dir string) {
	b := &r.Build
	b.Folder = dir
	if abs, err := filepath.Abs(dir); err == nil {
		b.Folder = abs
	}
	env, err := gotool.ReadEnv(ctx, "go", dir)
	if err != nil {
		fix := "see what go env says here"
		if gotool.NotFound(err) {
			fix = "put the folder of the go command on PATH (https://go.dev/doc/install)"
		}
		b.NoCgo = "the go command doesn't say"
		r.find(AreaBuild, "nothing can be built here", gotool.Brief(err).Error(), fix)
		return
	}
	b.Env, b.Go, b.GOOS, b.GOARCH, b.GOFLAGS = env, env.GOVERSION, env.GOOS, env.GOARCH, env.GOFLAGS
	if env.GOMOD != os.DevNull {
		b.Module = env.GOMOD
	}
	b.C, b.CXX = compiler.C(ctx, env, dir), compiler.CXX(ctx, env, dir)
	why, fix := compiler.NoCgo(env)
	b.Cgo, b.NoCgo, b.noCgoFix = why == "", why, fix
	switch {
	case why != "":
		r.find(AreaBuild, "this build calls no C", why, fix)
	case b.C.Problem != "":
		r.find(AreaBuild, "no C can be compiled", b.C.Problem, b.C.Fix)
	}
	if env.GOCACHE == "off" { // so go env tells of a GOCACHE that can't be found, too
		r.find(AreaBuild, "nothing can be built here", "the go command has no folder for its build cache", "set HOME, or GOCACHE to a folder that can be written")
	}
	// go env doesn't look at GOFLAGS, every other go command does.
	if _, err := gotool.Run(ctx, gotool.Cmd{Args: []string{"go", "list", "-e", "unsafe"}, Dir: dir}); err != nil {
		fix := "go env GOFLAGS GOWORK; then go env -u what is wrong, or unset it"
		if strings.Contains(err.Error(), "build cache") {
			fix = compiler.Unset("GOCACHE") + ", or set it to a folder that can be written"
		}
		r.find(AreaBuild, "nothing can be built here", gotool.Brief(err).Error(), fix)
	}
	if r.Count(AreaBuild) == 0 {
		r.builds(ctx, dir)
	}
}

// Use adds a way of calling C. Where it is slow, the first time is a finding, if none has
// told the reason before.
func (r *Report) Use(w Way) {
	r.Ways = append(r.Ways, w)
	if w.Slow && w.Fix != "" && r.Count(AreaBuild) == 0 {
		r.find(AreaBuild, "C is called by the slow path", w.Why, w.Fix)
	}
}

// Count is how many findings there are in an area.
func (r *Report) Count(area string) (n int) {
	for _, f := range r.Findings {
		if f.Area == area {
			n++
		}
	}
	return n
}

// CallsC reports whether programs of this build can call C at all.
func (b *Build) CallsC() bool { return b.Cgo && b.C.Problem == "" }

// System is what the build is for: "linux/arm64".
func (b *Build) System() string { return fmt.Sprintf("%s/%s", b.GOOS, b.GOARCH) }
