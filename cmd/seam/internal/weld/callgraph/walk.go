package callgraph

import (
	"cmp"
	"slices"
)

// enters is what the C side of an exported Go function calls to get into Go.
const enters = "crosscall2"

// prove says what a C function can reach.
func (p *program) prove(name string) *Function {
	f := &Function{Name: name}
	const none = -1
	from := map[int]int{} // the node on the way to a node
	var order []int
	for _, root := range p.roots[name] {
		from[root] = none
		order = append(order, root)
		f.Stack = max(f.Stack, p.nodes[root].depth)
		f.StackOpen = f.StackOpen || p.nodes[root].open
	}
	way := func(n int) []string {
		var path []string
		for ; n != none; n = from[n] {
			path = append(path, bare(p.nodes[n].Name))
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
	told := map[key]bool{}
	tell := func(x Finding, n int) {
		if k := (key{x.Kind, x.Name}); !told[k] {
			told[k] = true
			x.Path = way(n)
			f.Findings = append(f.Findings, x)
		}
	}
	for len(order) > 0 { // breadth first: paths are the shortest
		n := order[0]
		order = order[1:]
		node := &p.nodes[n]
		if node.Assembly != "" {
			tell(Finding{Kind: Assembly, Name: node.Assembly}, n)
		}
		if node.cyclic && !told[key{Recursion, ""}] {
			told[key{Recursion, ""}] = true
			f.Findings = append(f.Findings, Finding{Kind: Recursion, Name: bare(node.Name), Path: way(n)})
		}
		for _, to := range node.beyond {
			switch to {
			case indirectCall:
				tell(Finding{Kind: Indirect}, n)
			case enters:
				if before := from[n]; before != none {
					tell(Finding{Kind: Callback, Name: bare(node.Name)}, before)
				} else {
					tell(Finding{Kind: Callback, Name: enters}, n)
				}
			default:
				tell(Finding{Kind: External, Class: classOf(to), Name: to}, n)
			}
		}
		for _, to := range node.inside {
			if _, seen := from[to]; !seen {
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
