package prof

import "testing"

// What a compiler at run time has made has the name that it wrote for perf, the last one where
// memory was used again, and nothing else has.
func TestPerfMap(t *testing.T) {
	list := parsePerfMap("7f0000001000 40 old\n7f0000002000 10 LazyCompile:~f /x y.js:3\nnonsense\n0x7f0000001000 0x20 new\n7f0000003000 0 empty\nzz 10 q\nffffffffffffffff 10 beyond\n7f0000001f00 1000 large")
	for address, want := range map[uint64]string{
		0x7f0000000fff: "", 0x7f0000001000: "new", 0x7f000000101f: "new", 0x7f0000001020: "old", 0x7f0000001040: "",
		0x7f0000002000: "LazyCompile:~f /x y.js:3", 0x7f000000200f: "LazyCompile:~f /x y.js:3", 0x7f0000002010: "large", 0x7f0000003000: "", 0: "",
	} {
		if got := madeAt(list, address); got != want {
			t.Errorf("%#x is %q, want %q", address, got, want)
		}
	}
}
