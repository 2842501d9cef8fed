package payload

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/gotool"
	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/progcache"
)

var programs progcache.Once[string]

// program is the path of a library's program. The first request builds all of the
// mode's.
func program(ctx context.Context, mode lab.Mode, lib string) (string, error) {
	return programs.Get(ctx, mode, lib, libs(mode), build)
}

// tags of the program by library.
var tags = map[string]string{
	libStd: "payload_std", libV2: "payload_v2", libGo: "payload_gojson",
	libRapid: "payload_cxx,payload_rapidjson", libSimd: "payload_cxx,payload_simdjson", libNlohmann: "payload_cxx,payload_nlohmann",
}

// build makes a library's program or finds it in the cache.
func build(ctx context.Context, lib string) (string, error) {
	tool, err := exec.LookPath("go")
	if err != nil {
		return "", lab.Skip("the program is built with the go command, and there is none: %v", err)
	}
	env := []string{"CGO_ENABLED=0", "GOPROXY=off"}
	settings, err := progcache.Env(ctx, tool, env)
	if ctx.Err() != nil {
		return "", fmt.Errorf("can't build the program: %w", context.Cause(ctx))
	}
	if err != nil {
		return "", lab.Skip("the go command can't be used to build the program: %v", err)
	}
	more := ""
	switch {
	case lib == libGo:
		env = env[:1] // with the user's GOPROXY
	case lib == libV2:
		minor := goMinor(settings.GOVERSION)
		if minor < 25 {
			return "", lab.Skip("%s has no encoding/json/v2", settings.GOVERSION)
		}
		if minor < 27 { // later it is there by default
			env = append(env, "GOEXPERIMENT=jsonv2")
		}
	case cxx(lib):
		if err := haveHeader(ctx, settings.CXX, lib); err != nil {
			return "", err
		}
		env = append(env, "CGO_ENABLED=1", "CGO_CFLAGS=-O2 -g0", "CGO_CXXFLAGS=-g0", "CGO_CPPFLAGS=", "CGO_LDFLAGS=")
		more = stamp(lib)
	}
	files, err := module(lib)
	if err != nil {
		return "", err
	}
	program, err := progcache.Program{
		Cache: "payload", Files: files, Package: "./program", Env: env, More: more,
		// Without cgo in packages net and user these are compiled once for all programs.
		Flags: []string{"-ldflags=-w", "-tags=payload_program,netgo,osusergo," + tags[lib]},
	}.Build(ctx, tool, settings)
	switch {
	case ctx.Err() != nil: // the next process may get further, with what has been compiled so far
		return "", fmt.Errorf("can't build the program: %w", context.Cause(ctx))
	case err != nil && lib == libGo:
		return "", lab.Skip("can't build the program with %s: %v", modulePin, err)
	case err != nil:
		return "", lab.Skip("can't build the program: %v", err)
	}
	return program, nil
}

// goMinor is the 26 of "go1.26.8". Versions without one are new.
func goMinor(version string) int {
	_, rest, ok := strings.Cut(version, "go1.")
	digits := strings.IndexFunc(rest+".", func(r rune) bool { return r < '0' || r > '9' })
	if n, err := strconv.Atoi(rest[:digits]); ok && err == nil {
		return n
	}
	return 1 << 20
}

// A library of C++ as Debian has it.
var headers = map[string]struct{ header, debian string }{
	libRapid:    {"rapidjson/reader.h", "rapidjson-dev"},
	libSimd:     {"simdjson.h", "libsimdjson-dev"},
	libNlohmann: {"nlohmann/json.hpp", "nlohmann-json3-dev"},
}

// haveHeader asks the user's C++ compiler for a library.
func haveHeader(ctx context.Context, compiler, lib string) error {
	words := strings.Fields(compiler)
	if len(words) == 0 {
		return lab.Skip("no C++ compiler: go env CXX is empty")
	}
	if _, err := exec.LookPath(words[0]); err != nil {
		return lab.Skip("no C++ compiler (Debian: g++): %v", err)
	}
	h := headers[lib]
	out, err := gotool.Run(ctx, gotool.Cmd{
		Args:  append(words, "-std=c++17", "-E", "-P", "-x", "c++", "-"),
		Stdin: strings.NewReader("#if __has_include(<" + h.header + ">)\nseam_found\n#endif\n"),
	})
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return lab.Skip("the C++ compiler %s does not work: %v", words[0], gotool.Brief(err))
	case !strings.Contains(string(out), "seam_found"):
		return lab.Skip("%s is not installed: no <%s> (Debian: %s)", labels[lib], h.header, h.debian)
	}
	return nil
}

// stamp distinguishes releases of a library, if it is in its usual place: a program
// that was built with another release is rebuilt.
func stamp(lib string) string {
	text := ""
	for _, dir := range []string{"/usr/include", "/usr/local/include"} {
		if info, err := os.Stat(filepath.Join(dir, headers[lib].header)); err == nil {
			text += fmt.Sprintln(dir, info.Size(), info.ModTime().UnixNano())
		}
	}
	return text
}
