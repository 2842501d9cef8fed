package frames

import (
	"encoding/hex"
	"runtime"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/stack/symbols"
	"github.com/seamgo/seam/internal/testenv"
)

func TestCompiledCodeIsRead(t *testing.T) {
	for _, env := range [][]string{{"GOARCH=amd64"}, {"GOARCH=amd64", "GOAMD64=v3"}, {"GOARCH=arm64"}} {
		t.Run(strings.Join(env, " "), func(t *testing.T) {
			if env[len(env)-1] != "GOARCH="+runtime.GOARCH {
				testenv.Foreign(t)
			}
			source := "package main\n\nimport (\n\t\"fmt\"\n\t\"math/bits\"\n\t\"os\"\n)\n\nfunc main() { fmt.Println(bits.OnesCount(uint(len(os.Args))), float64(len(os.Args))*2.5) }\n"
			bin, img, err := symbols.Load(build(t, write(t, map[string]string{"main.go": source}), env))
			if err != nil {
				t.Fatal(err)
			}
			calls, count := 0, 0
			for i := range bin.Funcs {
				f := &bin.Funcs[i]
				if f.Asm {
					continue
				}
				for _, in := range decoders[bin.Arch].decode(img.Bytes(f.Entry)[:f.End-f.Entry], f.Entry, nil) {
					count++
					switch in.kind {
					case unknown:
						t.Errorf("%s+%#x: %x", f.Name, in.pc-f.Entry, img.Bytes(in.pc)[:12])
					case call:
						calls++
						if to := bin.Lookup(in.to); to == nil || to.Entry != in.to && !strings.HasPrefix(to.Name, "runtime.duff") {
							t.Errorf("%s+%#x calls %#x, where no function begins", f.Name, in.pc-f.Entry, in.to)
						}
					}
				}
			}
			if calls < 5000 || count < 50000 {
				t.Errorf("%d instructions, %d calls", count, calls)
			}
		})
	}
}

// Encodings as gcc's assembler writes them.
func TestVEXLengths(t *testing.T) {
	for code, what := range map[string]string{
		"c5f877":             "vzeroupper",
		"c5fd6f06":           "vmovdqa (%rsi), %ymm0",
		"c5fd6f4640":         "vmovdqa 0x40(%rsi), %ymm0",
		"c5fd6f8600010000":   "vmovdqa 0x100(%rsi), %ymm0",
		"c5fd6f0500010000":   "vmovdqa 0x100(%rip), %ymm0",
		"c5fd6f04be":         "vmovdqa (%rsi,%rdi,4), %ymm0",
		"c5fd6f04bd00010000": "vmovdqa 0x100(,%rdi,4), %ymm0",
		"c5fd70c01b":         "vpshufd $0x1b, %ymm0, %ymm0",
		"c4e27dbcc1":         "vfnmadd231ps %ymm1, %ymm0, %ymm0",
		"c4e3fd00c04e":       "vpermq $0x4e, %ymm0, %ymm0",
		"c4e2f8f2c1":         "andn %rcx, %rax, %rax",
		"c4e3fbf0c105":       "rorx $5, %rcx, %rax",
		"62f1fd486f06":       "vmovdqa64 (%rsi), %zmm0",
		"62f1fd486f4601":     "vmovdqa64 0x40(%rsi), %zmm0",
		"62f37d4825c1ff":     "vpternlogd $0xff, %zmm1, %zmm0, %zmm0",
		"62f17d4870c01b":     "vpshufd $0x1b, %zmm0, %zmm0",
	} {
		b, err := hex.DecodeString(code)
		if err != nil {
			t.Fatal(err)
		}
		if n := vexLength(append(b, make([]byte, 8)...)); n != len(b) {
			t.Errorf("%s has %d bytes, %d were found", what, len(b), n)
		}
	}
	if vexLength([]byte{0x90, 0x90}) != 0 {
		t.Error("a nop isn't VEX")
	}
}

func TestFlow(t *testing.T) {
	const next = 0x9000 // another function
	never := func(callee int32) bool { return callee == 7 }
	in := func(pc uint64, k kind, to uint64) inst { return inst{pc: pc, kind: k, to: to, dst: noReg, src: noReg} }
	for _, test := range []struct {
		name   string
		code   []inst
		loops  bool // the block of the first call
		doomed bool
	}{
		{"straight", []inst{in(0, call, next), in(1, back, 0)}, false, false},
		{"back to the call", []inst{in(0, other, 0), in(1, call, next), in(2, branch, 1), in(3, back, 0)}, true, false},
		{"a loop behind the call", []inst{in(0, call, next), in(1, other, 0), in(2, branch, 1), in(3, back, 0)}, false, false},
		{"morestack's way back", []inst{in(0, branch, 3), in(1, call, next), in(2, back, 0), in(3, call, 0x8000), in(4, jump, 0)}, false, false},
		{"by a table", []inst{in(0, jumpTable, 0), in(1, call, next), in(2, jump, 0), in(3, back, 0)}, true, false},
		{"ends in a panic", []inst{in(0, call, next), in(1, call, 7)}, false, true},
		{"both ways end in one", []inst{in(0, call, next), in(1, branch, 3), in(2, call, 7), in(3, call, 7)}, false, true},
		{"one way ends in one", []inst{in(0, call, next), in(1, branch, 3), in(2, back, 0), in(3, call, 7)}, false, false},
		{"for ever", []inst{in(0, call, next), in(1, jump, 0), in(2, call, 7)}, true, false},
		{"jumps out", []inst{in(0, call, next), in(1, branch, 3), in(2, jump, next), in(3, call, 7)}, false, false},
		{"trap", []inst{in(0, call, next), in(1, stop, 0)}, false, true},
	} {
		f := newFlow(test.code, 0, 100, func(pc uint64) int {
			if pc == 0x8000 {
				return 1
			}
			return 0
		})
		for i := range f.calls {
			f.calls[i].callee = none
			if f.calls[i].to == 7 {
				f.calls[i].callee = 7
			}
		}
		b := f.calls[0].block
		if got := f.loops(b); got != test.loops {
			t.Errorf("%s: in a loop: %t", test.name, got)
		}
		if got := f.doomed(never)[b]; got != test.doomed {
			t.Errorf("%s: ends in a panic: %t", test.name, got)
		}
		if f.checks != strings.Contains(test.name, "morestack") {
			t.Errorf("%s: checks the stack: %t", test.name, f.checks)
		}
	}
}

func TestGrowth(t *testing.T) {
	m := newModel(&symbols.Binary{Arch: "amd64"})
	for _, test := range []struct {
		checks []check
		size   int64
		copies int
	}{
		{nil, 2048, 0},
		{[]check{{40, 128 + 1079}}, 2048, 0},
		{[]check{{40, 128 + 1080}}, 4096, 1},
		{[]check{{1119, 128}}, 2048, 0},
		{[]check{{1120, 0}}, 4096, 1},
		{[]check{{40, 10 << 20}}, 16 << 20, 1},
		{[]check{{40, 2000}, {2048, 1000}}, 4096, 1},
		{[]check{{40, 2000}, {2048, 1300}}, 8192, 2},
	} {
		if size, copies := m.grow(test.checks); size != test.size || copies != test.copies {
			t.Errorf("%v: %d bytes by %d copies, want %d by %d", test.checks, size, copies, test.size, test.copies)
		}
	}
	if race := newModel(&symbols.Binary{Arch: "amd64", Race: true}); race.guard != 1728 {
		t.Errorf("guard of %d with -race", race.guard)
	}
}

// Code is read from files that may be damaged: it must not matter what it is.
func FuzzCode(f *testing.F) {
	f.Add([]byte("\x49\x3b\x66\x10\x76\x05\xe8\x00\x00\x00\x00\xc3\xe8\x10\x00\x00\x00\xeb\xee"), true)
	f.Add([]byte("\x90\x0b\x40\xf9\xff\x63\x30\xeb\x49\x00\x00\x54\xc0\x03\x5f\xd6\x00\x00\x00\x94\xfb\xff\xff\x17"), false)
	f.Add([]byte("\x62\xf1\xfd\x48\x6f\x46"), true)
	f.Add([]byte("\xe0\x07\x01\xa9\xe2\x0f\x41\xa9"), false) // STP and LDP
	f.Fuzz(func(t *testing.T, code []byte, x86 bool) {
		arch := "arm64"
		if x86 {
			arch = "amd64"
		}
		const entry = 0x10000
		list := decoders[arch].decode(code, entry, nil)
		if len(list) == 0 {
			return
		}
		for i := 1; i < len(list); i++ {
			if list[i].pc <= list[i-1].pc || list[i].pc >= entry+uint64(len(code)) {
				t.Fatalf("instruction %d at %#x behind one at %#x", i, list[i].pc, list[i-1].pc)
			}
		}
		flow := newFlow(list, entry, entry+uint64(len(code)), func(pc uint64) int { return int(pc % 3) })
		for i := range flow.calls {
			flow.calls[i].callee = int32(i%4) - 1
		}
		flow.doomed(func(callee int32) bool { return callee == 2 })
		for b := range flow.blocks {
			flow.loops(int32(b))
		}
	})
}
