package cycles

import (
	"reflect"
	"slices"
	"testing"
)

func groups(edges [][]int) (list [][]int) {
	Groups(len(edges), Next(edges), func(group []int) { list = append(list, slices.Sorted(slices.Values(group))) })
	return list
}

func TestGroups(t *testing.T) {
	// 0 and 1 lead to each other, 2 to itself, 3 to both, 4 to nothing.
	got := groups([][]int{{1}, {0, 4}, {2}, {0, 2}, {}})
	if want := [][]int{{4}, {0, 1}, {2}, {3}}; !reflect.DeepEqual(got, want) {
		t.Errorf("groups %v, want %v", got, want)
	}
	// Two rings that share a node are one group.
	got = groups([][]int{{1}, {2, 3}, {0}, {1}})
	if want := [][]int{{0, 1, 2, 3}}; !reflect.DeepEqual(got, want) {
		t.Errorf("groups %v, want %v", got, want)
	}
}

// A recursion would need gigabytes of stack here.
func TestLongRing(t *testing.T) {
	const n = 1_000_000
	edges := make([][]int, n)
	for i := range edges {
		edges[i] = []int{(i + 1) % n}
	}
	if got := groups(edges); len(got) != 1 || len(got[0]) != n {
		t.Errorf("%d groups, want one of %d nodes", len(got), n)
	}
}
