// Package nearest finds what somebody may have meant who misspelled a name.
package nearest

import "slices"

// Names returns the names that somebody who typed word may have meant, the
// most likely first.
func Names(word string, names []string) []string {
	var near []string
	limit := max(2, len(word)/2)
	for _, name := range names {
		if editDistance(word, name) <= limit {
			near = append(near, name)
		}
	}
	slices.SortStableFunc(near, func(a, b string) int { return editDistance(word, a) - editDistance(word, b) })
	return near[:min(3, len(near))]
}

// editDistance is the least number of letters to insert, delete or replace
// that turns a into b.
func editDistance(a, b string) int {
	x, y := []rune(a), []rune(b)
	row := make([]int, len(y)+1) // distances of a prefix of x to all prefixes of y
	for j := range row {
		row[j] = j
	}
	for i, r := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j, s := range y {
			change := diagonal
			if r != s {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(y)]
}
