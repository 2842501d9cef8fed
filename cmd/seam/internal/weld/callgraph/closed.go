package callgraph

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A closed function can't come to Go: whatever it reaches is known, and nothing of that is an
// exported Go function or could be replaced by one. That is more than the rule for leaves
// asks, where a trace may vouch for what isn't known, and calls after which the program ends
// don't count: here they do, for a handler of failed assertions may be in Go.
//
// A call through a pointer is never closed, wherever the address seems to come from. Neither
// is that of a weak function (another file, or another package, may have a strong one),
// of a library that isn't C's own, or of one that calls what it was given some time
// before (exit, bsearch, dlopen). The C library is taken to be itself: a program that brings
// its own strlen, which calls Go, is not expected.

// closers are the functions outside of a package, besides the harmless ones, that
// closed functions may call: of those that allocate, lock or end the program,
// none calls what somebody registered.
var closers = map[string]bool{
	"malloc": true, "calloc": true, "realloc": true, "reallocarray": true, "free": true, "cfree": true,
	"aligned_alloc": true, "memalign": true, "posix_memalign": true, "malloc_usable_size": true,
	"strdup": true, "__strdup": true, "strndup": true, "__strndup": true,
	"pthread_mutex_lock": true, "pthread_mutex_timedlock": true, "pthread_spin_lock": true,
	"pthread_rwlock_rdlock": true, "pthread_rwlock_wrlock": true,
	"abort": true, "_exit": true, "_Exit": true, trap: true, "__builtin_unreachable": true,
	"__assert_fail": true, "__assert_perror_fail": true, "__assert": true,
	"__stack_chk_fail": true, "__stack_chk_fail_local": true, "__chk_fail": true, "__fortify_fail": true,
}

// relinks are flags of the linker by which a name comes to mean another function.
var relinks = regexp.MustCompile(`^(?:--?(?:wrap|defsym|just-symbols)\b|-[TR]|@)`)

// relinked returns the first such flag.
func relinked(flags []string) string {
	for _, f := range flags {
		for part := range strings.SplitSeq(f, ",") {
			if relinks.MatchString(part) {
				return f
			}
		}
	}
	return ""
}

// mayCallGo says why it isn't proven that a C function can't come to Go; "" if it is.
func (p *program) mayCallGo(name string) string {
	if p.renames != "" {
		return p.renames
	}
	seen := map[int]bool{}
	order := slices.Clone(p.roots[name])
	if len(order) == 0 {
		return "it has no call graph"
	}
	for len(order) > 0 {
		n := order[0]
		order = order[1:]
		if seen[n] {
			continue
		}
		seen[n] = true
		node := &p.nodes[n]
		if why := node.opens(); why != "" {
			return fmt.Sprintf("%s in %s", why, symbolOf(node.Name))
		}
		order = append(order, node.internal...)
	}
	return ""
}

// opens says what in a function itself may lead to Go; "" if nothing does.
func (n *node) opens() string {
	switch {
	case n.Assembly != "":
		return "inline assembly (" + n.Assembly + ")"
	case slices.Contains(n.external, crosscall):
		return "a call of Go"
	case n.weak != "":
		return "a call of " + n.weak + ", which is weak,"
	}
	for _, name := range n.external {
		switch {
		case name == indirectCall:
			return "a call through a pointer"
		case ClassOf(name) != Harmless && !closers[name]:
			return "a call of " + name
		}
	}
	for _, name := range n.last {
		switch c := ClassOf(name); {
		case name == indirectCall || name == "":
			return "a call through a pointer"
		case name == "exit" || name == "quick_exit" || c == Unknown || c == CallsBack || c == Threads || c == NoReturn && !closers[name]:
			return "a call of " + name
		}
	}
	return ""
}
