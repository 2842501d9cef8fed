package csource

import (
	"fmt"
	"strings"
	"testing"
)

// What the text of C shows of a parameter, and what it doesn't.
func TestText(t *testing.T) {
	t.Parallel()
	var read texts
	read.read(`
#include "nobody-has-this.h"
#define BRACE {
static Widget *root; // free(never)
extern "C" {
void title(char *s) { set_title(root, "}", s); free(s); }
void later(char *s) { char *copy = (char *)s; if (copy) g_free((gpointer)copy); }
void by(int n, char *s) { title(s); }
int look(const char *s, void (*done)(int)) { /* free(s); */ return set_title(root, '{', s); }
void keep(Item *i, char *s) { i->title = s; }
void global(char *s) { last_title = (char *)s; }
char *same(char *s) { return s; }
const char *last_error(void) { return error_of(root); }
void deref(struct item *i) { free(i->title); }
}
`)
	f := &Facts{Funcs: map[string]*Func{}}
	read.solve(f.Funcs)
	if got := f.Func("last_error").Asks; got != "error_of" {
		t.Errorf("last_error asks %q, want error_of", got)
	}
	for _, c := range []struct {
		name string
		arg  int
		want Fate
	}{
		{"title", 0, Fate{Frees: true, Unknown: true}},
		{"later", 0, Fate{Frees: true, Unknown: true}},
		{"by", 1, Fate{Frees: true, Unknown: true}},
		{"look", 0, Fate{Unknown: true}},
		{"look", 1, Fate{Unknown: true}},
		{"keep", 1, Fate{Keeps: true, Unknown: true}},
		{"global", 0, Fate{Keeps: true, Unknown: true}},
		{"same", 0, Fate{Returns: true, Unknown: true}},
		{"deref", 0, Fate{Unknown: true}},
		{"nothere", 0, Fate{Unknown: true}},
	} {
		if got := f.Fate(c.name, c.arg); got != c.want {
			t.Errorf("parameter %d of %s: %+v, want %+v", c.arg, c.name, got, c.want)
		}
	}
}

// Text that is made to take long: each of these took minutes when it was read without bounds.
func TestHostileText(t *testing.T) {
	const n = 100_000
	chain, copies := strings.Builder{}, strings.Builder{}
	for i := range n {
		fmt.Fprintf(&chain, "void g%d(char *s) { g%d(s); }\n", i, i+1)
		fmt.Fprintf(&copies, "char *v%d = v%d;\n", n-i, n-i-1)
	}
	fmt.Fprintf(&chain, "void g%d(char *s) { free(s); }\n", n)
	for _, c := range []struct {
		name, text string
		want       Fate
	}{
		{"calls in calls", "void g0(char *s) { " + strings.Repeat("f(", n) + "s" + strings.Repeat(")", n) + "; free(s); }", Fate{Frees: true, Unknown: true}},
		{"brackets", "void g0(char *s) { s = " + strings.Repeat("(", n) + "s" + strings.Repeat(")", n) + "; free(s); }", Fate{Frees: true, Unknown: true}},
		{"functions that call the next", chain.String(), Fate{Frees: true, Unknown: true}},
		{"copies of copies", "void g0(char *v0) {" + copies.String() + fmt.Sprintf("free(v%d); }", n), Fate{Frees: true, Unknown: true}},
		{"parameters", "void g0(char *s" + strings.Repeat(", int", n) + ") { free(s); }", Fate{Unknown: true}},
	} {
		var read texts
		read.read(c.text)
		f := &Facts{Funcs: map[string]*Func{}}
		read.solve(f.Funcs)
		if got := f.Fate("g0", 0); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// Texts that aren't C, or end too early, are read to their ends.
func FuzzText(f *testing.F) {
	f.Add("int f(char *s) { free(s); }")
	f.Add("}} {{ f((( \"")
	f.Add("#define x \\")
	f.Add("int f(int (*g)(char *), ...) { '\\")
	f.Fuzz(func(t *testing.T, text string) {
		var read texts
		read.read(text)
		read.solve(map[string]*Func{})
	})
}
