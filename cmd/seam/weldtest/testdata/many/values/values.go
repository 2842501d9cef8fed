// Package values passes every kind of value to C and back.
package values

/*
#include <complex.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <stdarg.h>
#include <stdio.h>

enum colour { red, green = 7, blue };
typedef enum { small = -1, large = 1 } size;
struct point { int x, y; };
struct big { double d[9]; char c; struct point p; };
struct odd { char c; short s; char e[3]; };
struct flags { unsigned a : 3, b : 5; int c; };
union word { int i; float f; unsigned char b[4]; };
struct __attribute__((packed)) tight { char c; int i; short s; };
typedef struct point (*unused)(void);

static int ticks;
static void tick(void) { ticks++; }
static int ticked(void) { return ticks; }
static void move(struct point *p, int dx, int dy) { p->x += dx; p->y += dy; }
static struct point mirror(struct point p) { struct point q = {p.y, p.x}; return q; }
static struct big make_big(char c, double d) { struct big b; int i; memset(&b, 0, sizeof b); for (i = 0; i < 9; i++) b.d[i] = d * i; b.c = c; b.p.x = 5; b.p.y = 6; return b; }
static double sum_big(struct big b) { double s = 0; int i; for (i = 0; i < 9; i++) s += b.d[i]; return s + b.c + b.p.x; }
static struct odd make_odd(char c, short s) { struct odd o = {c, s, {1, 2, 3}}; return o; }
static int sum_odd(struct odd o) { return o.c + o.s + o.e[0] + o.e[1] + o.e[2]; }
static int sum_points(const struct point *p, size_t n) { int s = 0; while (n--) { s += p->x * p->y; p++; } return s; }
static enum colour next_colour(enum colour c) { return c == red ? green : blue; }
static size flip(size s) { return s == small ? large : small; }
static bool negate(bool b) { return !b; }
static union word as_word(int i) { union word w; w.i = i; return w; }
static int word_int(union word w) { return w.i; }
static long sum_tight(const struct tight *t, int n) { long s = 0; while (n--) { s += t->c + t->i + t->s; t++; } return s; }
static int8_t i8(int8_t v) { return (int8_t)-v; }
static uint16_t u16(uint16_t v, uint8_t w) { return (uint16_t)(v + w); }
static uint64_t u64(uint8_t a, uint64_t b, int8_t c, uint32_t d) { return a + b + (uint64_t)c + d; }
static float f32(float f, double d) { return f * (float)d; }
static double _Complex conjugate(double _Complex z) { return __builtin_conj(z); }
static const char *greet(void) { return "hello"; }
static size_t length(const char *s) { return strlen(s); }
static void *same(void *p) { return p; }
static int deref(int **pp) { return **pp; }
static int many(int a, char b, long c, short d, double e, float f, int g, char h, long i, void *j) { return a + b + (int)c + d + (int)e + (int)f + g + h + (int)i + (j != 0); }
static int sprint(char *out, size_t n, const char *format, ...) { va_list list; int r; va_start(list, format); r = vsnprintf(out, n, format, list); va_end(list); return r; }
static int show(char *out, size_t n, int a, double b) { return sprint(out, n, "%d %.2f", a, b); }
static void fill(unsigned char *p, size_t n, int v) { memset(p, v, n); }
static int len(int a) { return a + 1; }
static int string(int a) { return a + 2; }
static int nil(int a) { return a + 3; }
static int error(int a) { return a + 4; }
static int unsafe(int a) { return a + 5; }
static int syscall_(int a) { return a + 6; }
static int init(int a) { return a + 7; }
static int seam(int a) { return a + 8; }
static int entry(int a) { return a + 9; }
static int r1(int r1) { return r1 + 10; }
static int errno_(int errno_) { return errno_ + 11; }
static int _Cfunc(int a) { return a + 12; }
typedef struct { int v; } seam_u64;
typedef struct { int v; } seam_u32;
struct seam_slot { int v; };
static seam_u64 own_type(seam_u64 a, seam_u32 b, struct seam_slot c) { seam_u64 r; r.v = a.v + b.v + c.v; return r; }
*/
import "C"

import (
	"fmt"
	"io"
	"unsafe"
)

// Initialised before anything else runs.
var early = C.mirror(C.struct_point{x: 1, y: 2})

// Print calls all functions.
func Print(w io.Writer) {
	p := func(a ...any) { fmt.Fprintln(w, a...) }
	C.tick()
	C.tick()
	p("void", C.ticked(), early.x, early.y)
	pt := C.struct_point{x: 1, y: 2}
	C.move(&pt, 10, 20)
	p("struct", pt.x, pt.y, C.mirror(pt))
	b := C.make_big('a', 1.5)
	p("big", b.d, b.c, b.p, C.sum_big(b))
	o := C.make_odd('b', -300)
	p("odd", o.c, o.s, o.e, C.sum_odd(o))
	points := []C.struct_point{{1, 2}, {3, 4}, {5, 6}}
	p("array", C.sum_points(&points[0], C.size_t(len(points))), C.sum_points(nil, 0))
	p("enum", C.next_colour(C.red), C.next_colour(C.green), C.flip(C.small), C.flip(C.large))
	p("bool", C.negate(true), C.negate(false))
	word := C.as_word(0x01020304)
	p("union", word, C.word_int(word))
	var tight [3]C.struct_tight
	for i := range tight {
		tight[i].c = C.char(i)
		*(*[4]byte)(unsafe.Add(unsafe.Pointer(&tight[i]), 1)) = [4]byte{byte(i), 1}
	}
	p("packed", C.sum_tight(&tight[0], 3))
	p("integers", C.i8(5), C.u16(65535, 2), C.u64(255, 1<<40, -1, 1<<31))
	p("floats", C.f32(1.5, 2.5), C.conjugate(1+2i))
	s := C.CString("four")
	defer C.free(unsafe.Pointer(s))
	bytes := C.CBytes([]byte("bytes"))
	p("strings", C.GoString(C.greet()), C.length(s), C.GoStringN((*C.char)(bytes), 3))
	C.free(bytes)
	x := 7
	p("pointer", *(*int)(C.same(unsafe.Pointer(&x))), C.same(nil) == nil)
	var y *C.int = (*C.int)(C.malloc(4))
	*y = 42
	p("pointers", C.deref(&y))
	C.free(unsafe.Pointer(y))
	p("many", C.many(1, 2, 3, 4, 5, 6, 7, 8, 9, unsafe.Pointer(&x)))
	var out [32]C.char
	p("variadic", C.show(&out[0], 32, 3, 1.25), C.GoString(&out[0]))
	buf := make([]byte, 5)
	C.fill((*C.uchar)(&buf[1]), 3, 9)
	p("bytes", buf)
	p("names", C.len(1), C.string(1), C.nil(1), C.error(1), C.unsafe(1), C.syscall_(1), C.init(1), C.seam(1), C.entry(1), C.r1(1), C.errno_(1), C._Cfunc(1))
	p("types", C.own_type(C.seam_u64{1}, C.seam_u32{2}, C.struct_seam_slot{3}).v)
}
