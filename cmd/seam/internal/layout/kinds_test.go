package layout

import (
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

// verdicts compares the pairs of a header: types of Go whose names end in Wrong differ.
func verdicts(t *testing.T, header, goFile string, cflags ...string) {
	t.Helper()
	dir := module(t, map[string]string{"k.h": header, "m.go": goFile})
	out, err := runs(t, dir, func(o *Options) { o.Headers, o.CFlags = []string{"k.h"}, cflags })
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Report.Pairs) == 0 {
		t.Fatal("no pairs")
	}
	for i := range out.Report.Pairs {
		p := &out.Report.Pairs[i]
		if want := !strings.HasSuffix(p.GoName, "Wrong"); p.Agrees != want {
			t.Errorf("%s agrees: %v, want %v\n%s", p.GoName, p.Agrees, want, said(p))
		}
	}
}

// Numbers whose bytes lie in the other order, as in a header of a network's protocol. gcc alone
// has them, clang warns.
func TestOtherByteOrder(t *testing.T) {
	testenv.Builds(t)
	needC(t)
	t.Setenv("CC", "gcc")
	verdicts(t, `
enum e { A, B };
struct __attribute__((scalar_storage_order("big-endian"))) be { unsigned a; enum e e; unsigned char c; int b : 5; void *p; float f[2]; };
struct holds { int x; struct be be; };
`, `package m

import "unsafe"

//seam:layout struct be
type Bytes struct { _ [0]uintptr; A, E [4]byte; C, B uint8; P unsafe.Pointer; F [8]byte }

//seam:layout struct holds
type Holds struct { X int32; Be struct { _ [0]uintptr; A, E [4]byte; C, B uint8; P unsafe.Pointer; F [8]byte } }

//seam:layout struct be
type NumberWrong struct { A uint32; E [4]byte; C, B uint8; P unsafe.Pointer; F [8]byte }

//seam:layout struct be
type EnumWrong struct { _ [0]uintptr; A [4]byte; E uint32; C, B uint8; P unsafe.Pointer; F [8]byte }

//seam:layout struct be
type ArrayWrong struct { _ [0]uintptr; A, E [4]byte; C, B uint8; P unsafe.Pointer; F [2]float32 }

//seam:layout struct holds
type HoldsWrong struct { X int32; Be struct { A uint32; E [4]byte; C, B uint8; P unsafe.Pointer; F [8]byte } }
`)
}

// An enum is any integer of its size, but for values that this doesn't have.
func TestEnumSign(t *testing.T) {
	testenv.Builds(t)
	needC(t)
	verdicts(t, `
enum below { MINUS = -1, ONE = 1 };
enum high { ZERO, ALL = 0xffffffffu };
enum plain { P, Q };
struct below_t { enum below e; };
struct high_t { enum high e[2]; };
struct plain_t { enum plain e; };
`, `package m

//seam:layout struct below_t
type Below struct { E int32 }

//seam:layout struct below_t
type BelowWrong struct { E uint32 }

//seam:layout struct high_t
type High struct { E [2]uint32 }

//seam:layout struct high_t
type HighWrong struct { E [2]int32 }

//seam:layout struct plain_t
type PlainInt struct { E int32 }

//seam:layout struct plain_t
type PlainUint struct { E uint32 }
`)
}

// Several fields in place of a union are numbers, or what a member of it has there.
func TestFieldsForUnion(t *testing.T) {
	testenv.Builds(t)
	needC(t)
	verdicts(t, `
struct u { int k; union { void *p; double d[3]; struct { char *s; long n; long m; } t; } u; };
`, `package m

import "unsafe"

//seam:layout struct u
type Pointer struct { K int32; P unsafe.Pointer; A, B uintptr }

//seam:layout struct u
type Numbers struct { K int32; D float64; A [2]float64 }

//seam:layout struct u
type MapWrong struct { K int32; M map[int]int; A, B uintptr }

//seam:layout struct u
type LastWrong struct { K int32; A uintptr; B uintptr; M map[int]int }

//seam:layout struct u
type InterfaceWrong struct { K int32; I any; A uintptr }

//seam:layout struct u
type Slice struct { K int32; S []bool }

//seam:layout struct u
type PointerWrong struct { K int32; A uintptr; P unsafe.Pointer; B uintptr }
`)
}

// What lies where, also where flags of the user make DWARF say it in another way.
func TestOtherDWARF(t *testing.T) {
	testenv.Builds(t)
	needC(t)
	t.Setenv("CC", "gcc")
	for _, flag := range []string{"-gdwarf-2", "-gdwarf-4 -fdebug-types-section", "-gdwarf-5 -fdebug-types-section -gstrict-dwarf"} {
		verdicts(t, "struct s { int a; struct { short b, c; } d; int e : 3; unsigned f : 5; };\n", `package m

//seam:layout struct s
type S struct { A int32; D struct { B, C int16 }; E uint32 }

//seam:layout struct s
type OrderWrong struct { D struct { B, C int16 }; A int32; E uint32 }
`, strings.Fields(flag)...)
	}
}

// Sizes that DWARF doesn't say: clang's vector of three, and an _Atomic struct.
func TestClangSizes(t *testing.T) {
	testenv.Builds(t)
	t.Setenv("CC", testenv.Tool(t, "clang"))
	verdicts(t, `
typedef float f3 __attribute__((ext_vector_type(3)));
struct rows { f3 rows[2]; int n; };
struct three { char c[3]; };
typedef _Atomic struct three three;
struct many { three t[2]; char last; };
`, `package m

//seam:layout --any-align f3
type F3 [4]float32

//seam:layout --any-align f3
type F3Wrong [3]float32

//seam:layout --any-align struct rows
type Rows struct { Rows [2][4]float32; N int32; _ [12]byte }

//seam:layout --any-align struct rows
type RowsWrong struct { Rows [2][3]float32; _ [8]byte; N int32; _ [12]byte }

//seam:layout --any-align three
type Three struct { C [3]int8; _ byte }

//seam:layout --any-align three
type ThreeWrong struct { C [3]int8 }

//seam:layout --any-align struct many
type Many struct { T [2]struct { C [3]int8; _ byte }; Last int8; _ [3]byte }

//seam:layout --any-align struct many
type ManyWrong struct { T [2]struct { C [3]int8 }; _ [2]byte; Last int8; _ [3]byte }
`)
}
