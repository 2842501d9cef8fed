package payload

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/progcache"
)

var shop progcache.Once[string]

// program is the path of a library's program. The first who asks for one has all of the
// mode built.
func program(ctx context.Context, mode lab.Mode, lib string) (string, error) {
	return shop.Get(ctx, mode, lib, libs(mode), build)
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
	version, _, err := progcache.Run(ctx, tool, "", env, "env", "GOVERSION", "GOAMD64", "GOARM64", "GOEXPERIMENT", "CC", "CXX")
	if ctx.Err() != nil {
		return "", fmt.Errorf("can't build the program: %w", context.Cause(ctx))
	}
	if err != nil {
		return "", lab.Skip("the go command can't be used to build the program: %v", err)
	}
	said := strings.Split(version, "\n")
	switch {
	case lib == libGo:
		env = env[:1] // with the user's GOPROXY
	case lib == libV2:
		minor := goMinor(said[0])
		if minor < 25 {
			return "", lab.Skip("%s has no encoding/json/v2", said[0])
		}
		if minor < 27 { // later it is there without being asked for
			env = append(env, "GOEXPERIMENT=jsonv2")
		}
	case cxx(lib):
		compiler := said[5]
		if err := haveHeader(ctx, compiler, lib); err != nil {
			return "", err
		}
		env = append(env, "CGO_ENABLED=1", "CGO_CFLAGS=-O2 -g0", "CGO_CXXFLAGS=-g0", "CGO_CPPFLAGS=", "CGO_LDFLAGS=")
		version += stamp(lib)
	}
	files, err := module(lib)
	if err != nil {
		return "", err
	}
	dir, err := progcache.Dir("payload")
	if err != nil {
		return "", lab.Skip("no folder for the program: %v", err)
	}
	// Without cgo in packages net and user these are compiled once for all programs.
	flags := []string{"build", "-ldflags=-w", "-tags=payload_program,netgo,osusergo," + tags[lib]}
	program := filepath.Join(dir, progcache.Hash(progcache.HashFiles(files), version, strings.Join(flags, " "), strings.Join(env, " "))+progcache.ExeSuffix)
	if progcache.Found(program) {
		return program, nil
	}
	defer progcache.Trim(dir)
	folder, err := progcache.Sources(dir, files)
	if err != nil {
		return "", lab.Skip("can't write the program: %v", err)
	}
	err = progcache.Whole(dir, program, func(made string) error {
		_, _, err := progcache.Run(ctx, tool, folder, env, append(flags, "-o", made, "./program")...)
		return err
	})
	switch {
	case ctx.Err() != nil: // the next process may get further, with what was compiled
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
	cmd := exec.CommandContext(ctx, words[0], append(words[1:], "-std=c++17", "-E", "-P", "-x", "c++", "-")...)
	cmd.WaitDelay = time.Second
	cmd.Stdin = strings.NewReader("#if __has_include(<" + h.header + ">)\nseam_found\n#endif\n")
	var words2 bytes.Buffer
	cmd.Stderr = &words2
	out, err := cmd.Output()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return lab.Skip("the C++ compiler %s does not work: %v: %s", words[0], err, progcache.Brief(words2.String()))
	case !strings.Contains(string(out), "seam_found"):
		return lab.Skip("%s is not here: no <%s> (Debian: %s)", labels[lib], h.header, h.debian)
	}
	return nil
}

// stamp tells one release of a library from another, where it is in its usual place: a
// program that was built with another is built anew.
func stamp(lib string) string {
	text := ""
	for _, dir := range []string{"/usr/include", "/usr/local/include"} {
		if info, err := os.Stat(filepath.Join(dir, headers[lib].header)); err == nil {
			text += fmt.Sprintln(dir, info.Size(), info.ModTime().UnixNano())
		}
	}
	return text
}
