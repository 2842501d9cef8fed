// Package cycles finds which nodes of a graph lead to each other.
package cycles

// Groups divides the nodes 0 to n-1 into groups of which each node leads to all others
// (strongly connected components, by Tarjan's algorithm) and gives found each of them,
// after those that it leads to. next is where a node's i-th edge leads, or -1 behind its
// last. There is no recursion: a path may be as long as the graph is large.
func Groups(n int, next func(node, i int) int, found func(group []int)) {
	type visit struct{ node, edge int }
	number, low := make([]int, n), make([]int, n) // number 0: not seen
	open := make([]bool, n)                       // seen, and in no group yet
	var stack []int                               // of open nodes
	var path []visit
	seen := 0
	begin := func(node int) {
		seen++
		number[node], low[node], open[node] = seen, seen, true
		stack = append(stack, node)
		path = append(path, visit{node, 0})
	}
	for root := range n {
		if number[root] == 0 {
			begin(root)
		}
		for len(path) > 0 {
			at := &path[len(path)-1]
			node := at.node
			if to := next(node, at.edge); to >= 0 {
				at.edge++
				if number[to] == 0 {
					begin(to)
				} else if open[to] {
					low[node] = min(low[node], number[to])
				}
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				up := path[len(path)-1].node
				low[up] = min(low[up], low[node])
			}
			if low[node] != number[node] {
				continue
			}
			first := len(stack) - 1
			for stack[first] != node {
				first--
			}
			found(stack[first:])
			for _, member := range stack[first:] {
				open[member] = false
			}
			stack = stack[:first]
		}
	}
}

// Next is the next of Groups for lists of edges.
func Next(edges [][]int) func(node, i int) int {
	return func(node, i int) int {
		if i < len(edges[node]) {
			return edges[node][i]
		}
		return -1
	}
}
