//go:build !race

package leaf_test

const raceEnabled = false
