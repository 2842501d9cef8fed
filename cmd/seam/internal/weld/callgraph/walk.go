package callgraph

import (
	"cmp"
	"slices"
)

// crosscall is what the C side of an exported Go function calls to get into Go.
const crosscall = "crosscall2"

// prove says what a C function can reach.
func (p *program) prove(name string) *Function {
	f := &Function{Name: name, MayCallGo: p.mayCallGo(name)}
	const none = -1
	from := map[int]int{} // the caller by which a node was reached first
	var order []int
	for _, root := range p.roots[name] {
		from[root] = none
		order = append(order, root)
		f.Stack = max(f.Stack, p.nodes[root].depth)
		f.StackOpen = f.StackOpen || p.nodes[root].open
	}
	pathTo := func(n int) []string {
		var path []string
		for ; n != none; n = from[n] {
			path = append(path, symbolOf(p.nodes[n].Name))
		}
		path[len(path)-1] = name // for cgo's wrapper
		slices.Reverse(path)
		if len(path) > 1 && path[1] == name {
			path = path[1:]
		}
		return path
	}
	type key struct {
		kind Kind
		name string
	}
	found := map[key]bool{}
	add := func(x Finding, n int) {
		if k := (key{x.Kind, x.Name}); !found[k] {
			found[k] = true
			x.Path = pathTo(n)
			f.Findings = append(f.Findings, x)
		}
	}
	for len(order) > 0 { // breadth first: paths are the shortest
		n := order[0]
		order = order[1:]
		node := &p.nodes[n]
		if node.Assembly != "" {
			add(Finding{Kind: Assembly, Name: node.Assembly}, n)
		}
		if node.hook != "" {
			add(Finding{Kind: Hook, Name: node.hook}, n)
		}
		if node.cyclic && !found[key{Recursion, ""}] {
			found[key{Recursion, ""}] = true
			f.Findings = append(f.Findings, Finding{Kind: Recursion, Name: symbolOf(node.Name), Path: pathTo(n)})
		}
		for _, to := range node.external {
			switch to {
			case indirectCall:
				add(Finding{Kind: Indirect}, n)
			case crosscall:
				if before := from[n]; before != none {
					add(Finding{Kind: Callback, Name: symbolOf(node.Name)}, before)
				} else {
					add(Finding{Kind: Callback, Name: crosscall}, n)
				}
			default:
				add(Finding{Kind: External, Class: ClassOf(to), Name: to}, n)
			}
		}
		for _, to := range node.internal {
			if _, seen := from[to]; !seen && !slices.Contains(node.doomed, to) {
				from[to] = n
				order = append(order, to)
			}
		}
	}
	slices.SortStableFunc(f.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.seriousness(), b.seriousness()), cmp.Compare(len(a.Path), len(b.Path)))
	})
	return f
}
