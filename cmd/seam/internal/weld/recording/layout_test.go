//go:build linux && (amd64 || arm64) && cgo

package recording_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/layout"
	"github.com/seamgo/seam/cmd/seam/internal/output"
	"github.com/seamgo/seam/cmd/seam/internal/weld/recording"
	"github.com/seamgo/seam/cmd/seam/internal/weld/recording/recordingtest"
	"github.com/seamgo/seam/internal/testenv"
)

// The structs by which records are read, and those by which Go asks C to write
// them, are laid out as C's. The proof in Go, layout_seam.go, is compiled with
// seam; here it is compared with what both compilers say, and the proof in C is
// compiled by each compiler at hand.
func TestLayoutIsThatOfC(t *testing.T) {
	const runtime = "../runtime/"
	for dir, headers := range map[string][]string{
		".":                     {"record/c/seam_record.h"},
		"../calltrace":          {"trace/c/seam_trace.h", "trace/c/seam_trace_impl.h"},
		"../leaks":              {"leaks/c/seam_leaks_impl.h"},
		"../gcstress":           {"gcstress/c/seam_stress_impl.h"},
		runtime + "trace/rt":    {"trace/c/seam_trace.h", "trace/c/seam_trace_impl.h"},
		runtime + "leaks/rt":    {"leaks/c/seam_leaks_impl.h"},
		runtime + "gcstress/rt": {"gcstress/c/seam_stress_impl.h"},
	} {
		t.Run(filepath.Base(filepath.Dir(dir))+"/"+filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			include, err := filepath.Abs(runtime + "record/c")
			if err != nil {
				t.Fatal(err)
			}
			csys, err := filepath.Abs("../../../../../internal/csys") // seam_call.h
			if err != nil {
				t.Fatal(err)
			}
			o := layout.Options{Go: "go", Dir: dir, Packages: []string{"."}, CFlags: []string{"-I", include, "-I", csys}, Line: 64}
			for _, h := range headers {
				h, err := filepath.Abs(runtime + h)
				if err != nil {
					t.Fatal(err)
				}
				o.Headers = append(o.Headers, h)
			}
			out, err := layout.Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			for i := range out.Report.Pairs {
				if r := &out.Report.Pairs[i]; !r.Agrees {
					t.Errorf("%s and %s differ: see seam layout %s", r.GoName, r.CName, dir)
				}
			}
			if changed, err := output.Changed(out.Files, "seam layout", layout.Generated); err != nil || len(changed) > 0 {
				t.Errorf("layout_seam.go and layout_seam.h are out of date (%v): run go generate in %s", err, dir)
			}
			for _, cc := range []string{"gcc", "clang", "aarch64-linux-gnu-gcc"} {
				t.Run(cc, func(t *testing.T) {
					out, err := exec.Command(testenv.Tool(t, cc), "-std=c11", "-fsyntax-only", "-I", include, "-I", csys, "-x", "c", filepath.Join(dir, "layout_seam.h")).CombinedOutput()
					if err != nil {
						t.Errorf("%v\n%s", err, out)
					}
				})
			}
		})
	}
}

func TestFormatHasNoHoles(t *testing.T) {
	recordingtest.NoHoles(t, recording.Header{}, recording.Chunk{}, recording.Text{})
}
