package cli

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"

	"github.com/seamgo/seam/cmd/seam/internal/output"
	"github.com/seamgo/seam/include"
)

// headersVerb writes the C headers to a folder, for those who can't point their compiler
// at the module's own.
type headersVerb struct {
	Dir     string `arg:"" help:"Where to put them: DIR/seam/coro.h and so on."`
	Install bool   `help:"DIR is a prefix, as /usr/local: put them into DIR/include, and files for pkg-config and CMake beside it, both of which know them as seam."`
}

func (headersVerb) examples() string {
	return `Examples:
  seam headers internal/include
  seam headers . && gcc -c -I. glue.c
  seam headers --install ~/.local

With --install pkg-config knows them as seam (PKG_CONFIG_PATH=DIR/lib/pkgconfig), and
CMake, whose CMAKE_PREFIX_PATH names DIR, by find_package(seam CONFIG REQUIRED) and
target_link_libraries(engine PRIVATE seam::headers).
`
}

func (v headersVerb) Run(s *session) error {
	var files []output.File
	folder := v.Dir
	if v.Install {
		folder = filepath.Join(v.Dir, "include")
		for name, text := range installed(toolVersion()) {
			files = append(files, output.File{Path: filepath.Join(v.Dir, filepath.FromSlash(name)), Text: []byte(text)})
		}
	}
	err := fs.WalkDir(include.Files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := include.Files.ReadFile(name)
		if err != nil {
			return err
		}
		path := filepath.Join(folder, filepath.FromSlash(name))
		files = append(files, output.File{Path: path, Text: text})
		return nil
	})
	if err != nil {
		return err
	}
	out := output.Writer{Stdout: s.stdout, Stderr: s.stderr}
	err = out.WriteFiles(s.ctx, files, func(path string) { fmt.Fprintln(s.stdout, path) })
	if err != nil {
		err = fmt.Errorf("headers: %w", err)
	}
	return withCode(exitFailed, err)
}

var releaseNumber = regexp.MustCompile(`^v(\d+\.\d+\.\d+)`)

// installed are the files by which pkg-config and CMake find the headers, wherever the prefix is
// moved to. A build of no release has version 0.0.0.
func installed(version string) map[string]string {
	number := "0.0.0"
	if m := releaseNumber.FindStringSubmatch(version); m != nil {
		number = m[1]
	}
	return map[string]string{
		"lib/pkgconfig/seam.pc": `prefix=${pcfiledir}/../..

Name: seam
Description: Headers of Seam, the boundary between Go and C
Version: ` + number + `
Cflags: -I${prefix}/include -pthread
Libs: -pthread
`,
		"lib/cmake/seam/seam-config.cmake": `include(CMakeFindDependencyMacro)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_dependency(Threads)
if(NOT TARGET seam::headers)
  add_library(seam::headers INTERFACE IMPORTED)
  get_filename_component(seam_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
  set_target_properties(seam::headers PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${seam_prefix}/include"
    INTERFACE_LINK_LIBRARIES Threads::Threads)
  unset(seam_prefix)
endif()
`,
		"lib/cmake/seam/seam-config-version.cmake": `set(PACKAGE_VERSION "` + number + `")
if(PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE FALSE)
else()
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
  if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
    set(PACKAGE_VERSION_EXACT TRUE)
  endif()
endif()
`,
	}
}
