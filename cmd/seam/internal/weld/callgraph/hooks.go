package callgraph

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/seamgo/seam/cmd/seam/internal/weld/cgofile"
)

// held is what Go can give to C: addresses of C functions, and where it can put them.
type held struct {
	functions []string // whose addresses Go takes: f in C.f, used as a value
	places    []string // parameters and members
}

var addressInGo = regexp.MustCompile(`(?m)^var _Cfpvar_fp_(\w+) `)

// heldByGo reads what cgo wrote.
func heldByGo(objdir string) (held, error) {
	var h held
	g, err := cgofile.Load(objdir)
	if err != nil {
		return h, err
	}
	var void []string
	for _, f := range g.Functions() {
		for i, t := range f.Params {
			if strings.Contains(t, "*[0]byte") {
				h.places = append(h.places, parameter(f.Name, i))
			} else if t == "unsafe.Pointer" {
				void = append(void, parameter(f.Name, i))
			}
		}
	}
	for _, name := range g.Gotypes.FunctionMembers() {
		h.places = append(h.places, "."+name)
	}
	if len(h.places) == 0 { // it may pass addresses as void *
		h.places = void
	}
	src, err := os.ReadFile(filepath.Join(objdir, "_cgo_gotypes.go"))
	if err != nil {
		return h, err
	}
	for _, m := range addressInGo.FindAllSubmatch(src, -1) {
		h.functions = append(h.functions, string(m[1]))
	}
	return h, nil
}

// findHooks finds the functions that may call Go through a pointer: one to which the
// address of a Go function may get, or of a C function that calls Go by name.
//
// Addresses get around in assignments, arguments and results; members of structs are told
// apart by their names. A function that stands in a variable of a file from the start is
// taken to be behind all members and variables that nothing is assigned to.
//
// C behind a pointer that calls Go through another pointer is not found: in SQLite that could be
// everything, since all of it can free memory by a function that it was given.
func (p *program) findHooks(units []*unit, h held) {
	all := p.addressesOf(units)
	var fromStart []string // in variables
	for _, u := range units {
		fromStart = append(fromStart, u.Data...)
	}
	callers := p.callsGo()
	for n := range p.nodes { // clang doesn't say where pointers come from
		p.blind = p.blind || len(callers) > 0 && slices.Contains(p.nodes[n].Through, unknownPlace)
	}
	all.any = p.blind
	for _, name := range callers {
		all.taint("&" + name)
		if slices.Contains(h.functions, name) {
			for _, place := range h.places {
				all.taint(place)
				all.any = true
			}
		}
		if slices.Contains(fromStart, name) {
			all.taintUnset()
		}
	}
	all.spread()
	if !all.any {
		return
	}
	for n := range p.nodes {
		node := &p.nodes[n]
		node.hook = all.hookOf(node.function, node.external)
	}
}

// callsGo returns the functions that call Go without a pointer.
func (p *program) callsGo() []string {
	callers := make([][]int, len(p.nodes))
	var order []int
	for n := range p.nodes {
		for _, to := range p.nodes[n].internal {
			callers[to] = append(callers[to], n)
		}
		if slices.Contains(p.nodes[n].external, crosscall) {
			order = append(order, n)
		}
	}
	seen := map[int]bool{}
	var names []string
	for len(order) > 0 {
		n := order[0]
		order = order[1:]
		if seen[n] {
			continue
		}
		seen[n] = true
		names = append(names, symbolOf(p.nodes[n].Name))
		order = append(order, callers[n]...)
	}
	return names
}

// addresses is where addresses of functions may get to in a whole program, and where those of functions that call Go do.
type addresses struct {
	defined map[string]bool // functions
	moves   map[string][]string
	into    map[string][]string
	calls   map[*function]*pointers
	tainted map[string]bool
	order   []string
	any     bool // something is tainted
}

func (p *program) addressesOf(units []*unit) *addresses {
	f := &addresses{defined: map[string]bool{}, moves: map[string][]string{}, into: map[string][]string{},
		calls: map[*function]*pointers{}, tainted: map[string]bool{}}
	parameters := map[string][]string{} // by function
	for _, u := range units {
		for _, fn := range u.Funcs {
			f.defined[symbolOf(fn.Name)] = true
			f.calls[fn] = u.Pointers
		}
		if u.Pointers == nil {
			continue
		}
		for i := 0; i+1 < len(u.Pointers.Moves); i += 2 {
			f.move(u.Pointers.Places[u.Pointers.Moves[i]], u.Pointers.Places[u.Pointers.Moves[i+1]])
		}
		for _, place := range u.Pointers.Places {
			if function, _, ok := strings.Cut(strings.TrimPrefix(place, "("), ":"); ok && place[0] == '(' {
				parameters[function] = append(parameters[function], place)
			}
		}
	}
	for function, list := range parameters {
		for _, place := range list {
			switch {
			case !f.defined[function] && ClassOf(function) == Unknown:
				f.move(place, "="+function) // a library may keep what it gets, and give it back
			case f.defined[function] && len(f.moves[place]) == 0:
				f.move(place, variadic)
			}
		}
		if len(f.moves["&"+function]) > 0 {
			for _, place := range list {
				f.move(toPointers, place)
			}
			f.move("="+function, ofPointers)
		}
	}
	return f
}

func (f *addresses) move(from, to string) {
	f.moves[from] = append(f.moves[from], to)
	f.into[to] = append(f.into[to], from)
}

func (f *addresses) taint(place string) {
	if !f.tainted[place] {
		f.tainted[place] = true
		f.order = append(f.order, place)
	}
}

// taintUnset taints the members and variables that nothing is assigned to.
func (f *addresses) taintUnset() {
	for _, place := range slices.Sorted(maps.Keys(f.moves)) {
		if (place[0] == '.' || strings.HasPrefix(place, "g:")) && len(f.into[place]) == 0 {
			f.taint(place)
		}
	}
}

func (f *addresses) spread() {
	for len(f.order) > 0 {
		place := f.order[0]
		f.order = f.order[1:]
		for _, to := range f.moves[place] {
			f.any = true
			f.taint(to)
		}
	}
}

// hookOf returns a pointer through which a function may call Go.
func (f *addresses) hookOf(fn *function, external []string) string {
	known := f.calls[fn]
	for _, at := range fn.Through {
		if known == nil || len(known.Calls[at]) == 0 {
			return "a pointer" // it may lead anywhere
		}
		for _, n := range known.Calls[at] {
			if place := known.Places[n]; f.tainted[place] {
				return f.nameOf(place)
			}
		}
	}
	for _, name := range external {
		if c := ClassOf(name); c != Unknown && c != CallsBack || name == indirectCall || name == crosscall {
			continue
		}
		for i := range 10 {
			if f.tainted[parameter(name, i)] {
				return "an argument of " + name
			}
		}
	}
	return ""
}

// nameOf names a place for people: the member or variable that the value came from.
func (f *addresses) nameOf(place string) string {
	for range 4 {
		if place[0] == '.' {
			return place[1:]
		}
		if i := strings.LastIndexByte(place, ':'); i >= 0 && !temporary.MatchString(place[i+1:]) {
			return place[i+1:]
		}
		i := slices.IndexFunc(f.into[place], func(from string) bool { return f.tainted[from] })
		if i < 0 {
			break
		}
		place = f.into[place][i]
	}
	return "a pointer"
}
