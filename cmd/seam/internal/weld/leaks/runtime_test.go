//go:build linux && (amd64 || arm64)

package leaks

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/weld/recording"
	"github.com/seamgo/seam/cmd/seam/internal/weld/recording/recordingtest"
	"github.com/seamgo/seam/cmd/seam/internal/weld/runtime/leaks"
)

// The run-time's C is compiled with the flags of packages it doesn't know, and has
// the constants of recordlayout.go.
func TestCompilesUnderAnyFlags(t *testing.T) {
	text := "#include <stdlib.h>\n#include <string.h>\n#include \"" + leaks.HeaderName + "\"\nSEAM_LEAKS_PACKAGE(_cgo_0)\n" + recordingtest.Same(map[string]int{
		"SEAM_LEAKS_VERSION": version, "SEAM_BINS": bins, "SEAM_FIRST_SHIFT": firstShift, "SEAM_SLAB": slab, "SEAM_HEADER": recording.HeaderSize,
		"SEAM_BLOCKS": chunkBlocks, "SEAM_STACK": chunkStack, "SEAM_WRONG": chunkWrong, "SEAM_TEXT": recording.TextChunk, "SEAM_LIVE": stateLive,
	})
	recordingtest.CompilesUnderAnyFlags(t, leaks.Runtime.C(), text)
}

// figures is what a record says, by name of stack: live blocks and bytes, made,
// freed; and wrong frees.
func figures(r *Record) string {
	var b strings.Builder
	for _, s := range r.Stacks {
		if len(s.Frames) > 0 {
			fmt.Fprintf(&b, "%s: %d in %d, made %d, freed %d\n", s.Frames[0].Func, s.LiveBytes, s.Live, s.Made, s.Freed)
		}
	}
	for _, w := range r.Wrong {
		by := func(what string, frames int, c string) string {
			switch {
			case frames > 0:
				return what + " Go"
			case c != "":
				return what + " C"
			}
			return ""
		}
		fmt.Fprintf(&b, "%s, %d of %d, times %d%s%s\n", w.Kind, w.Offset, w.Size, w.Count, by(", first", len(w.First), w.FirstC), by(", then", len(w.Second), w.SecondC))
	}
	if r.LostBlocks+r.LostStacks+r.LostWrong > 0 {
		fmt.Fprintf(&b, "lost %d %d %d\n", r.LostBlocks, r.LostStacks, r.LostWrong)
	}
	if r.Cut+r.Full != "" {
		fmt.Fprintf(&b, "cut %q, full %q\n", r.Cut, r.Full)
	}
	return b.String()
}

// The C side by itself: what it records of what a C program allocates and frees.
func TestRecords(t *testing.T) {
	build := func(files map[string][]byte) string {
		return recordingtest.Program(t, files, "../runtime/leaks/testdata/run.c",
			"-Wno-use-after-free", "-Wno-free-nonheap-object", "-Wno-unused-result", "-fno-builtin", "-ldl")
	}
	files := leaks.Runtime.C()
	whole := build(files)
	// The same with room for 4096 blocks, of which two were the start's.
	const header = "seam_leaks_file.h"
	files[header] = bytes.Replace(files[header], []byte("SEAM_SLABS = 1024"), []byte("SEAM_SLABS = 1"), 1)
	small := build(files)

	middle := ""
	for _, size := range []int{17, 500, 513, 4096, 8704, 8705, 100000, 3 << 20, 40 << 20, 700 << 20} {
		for _, at := range []int{size / 2, size - 1} {
			middle += fmt.Sprintf("free inside a block, %d of %d, times 1, then C\n", at, size)
		}
	}
	for _, c := range []struct {
		what, want string
		killed     bool
		exe        string
	}{
		{what: "threads", want: "two: 5 in 1, made 1, freed 0\n"},
		{what: "middle", want: "one: 0 in 0, made 10, freed 10\ntwo: 0 in 0, made 0, freed 0\n" + middle},
		{what: "neighbours", want: "one: 0 in 0, made 20001, freed 20001\ntwo: 0 in 0, made 0, freed 0\n"},
		{what: "realloc", want: "one: 0 in 0, made 3, freed 3\ntwo: 199000 in 1, made 1, freed 0\n"},
		{what: "twice", want: "one: 0 in 0, made 2, freed 2\ntwo: 0 in 0, made 5000, freed 5000\n" +
			"double free, 0 of 10, times 3, first Go, then C\ndouble free, 0 of 10, times 1, first Go, then Go\ndouble free, 0 of 10, times 1, first C, then C\n"},
		{what: "fork", want: "one: 1048586 in 2, made 2, freed 0\ntwo: 0 in 0, made 0, freed 0\n"},
		{what: "unseen", want: "one: 0 in 0, made 1, freed 1\ntwo: 100 in 1, made 1, freed 0\n"},
		{what: "errno", want: "one: 0 in 0, made 1, freed 1\ntwo: 0 in 0, made 0, freed 0\ndouble free, 0 of 10, times 1, first Go, then C\n"},
		{what: "exit", want: "one: 10 in 1, made 1, freed 0\ntwo: 0 in 0, made 0, freed 0\n"},
		{what: "kill", killed: true, want: "one: 10 in 1, made 1, freed 0\ntwo: 20 in 1, made 1, freed 0\n"},
		{what: "full", exe: small, want: "one: 40930 in 4093, made 4094, freed 1\ntwo: 0 in 0, made 0, freed 0\nlost 907 0 0\n"},
		{what: "disk", want: "one: 204780 in 20478, made 20478, freed 0\ntwo: 0 in 0, made 0, freed 0\nlost 9522 0 0\ncut \"\", full \"the recording had reached its limit of 256 MiB, or that of the system\"\n"},
		{what: "descriptors", want: "one: 204780 in 20478, made 20478, freed 0\ntwo: 0 in 0, made 0, freed 0\nlost 9522 0 0\ncut \"\", full \"no file descriptor was left to make the recording longer\"\n"},
	} {
		t.Run(c.what, func(t *testing.T) {
			exe := whole
			if c.exe != "" {
				exe = c.exe
			}
			r, pid := recordingtest.Run(t, exe, c.what, "SEAM_LEAKS", c.killed, ReadRecord)
			if r.PID != pid || r.Exe != exe {
				t.Errorf("process %d, exe %s", r.PID, r.Exe)
			}
			got := figures(r)
			if c.what == "threads" { // how many the first has is the dice's
				if one := &r.Stacks[1]; one.Live != 0 || one.Made < 100000 || one.Made != one.Freed || one.MadeBytes != one.FreedBytes {
					t.Errorf("%+v", one)
				}
				_, got, _ = strings.Cut(got, "\n")
			}
			if c.what == "realloc" { // the last of which Go has made: its bytes count once
				if one, two := &r.Stacks[1], &r.Stacks[2]; one.MadeBytes != 10+1000*198*199/2+10+100000 || one.MadeBytes != one.FreedBytes || two.MadeBytes != 199000 {
					t.Errorf("bytes of one: %d, freed %d; of two: %d", one.MadeBytes, one.FreedBytes, two.MadeBytes)
				}
			}
			if got != c.want {
				t.Errorf("recorded\n%swant\n%s", got, c.want)
			}
		})
	}
}
