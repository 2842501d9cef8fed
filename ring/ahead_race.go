//go:build race

package ring

// The race detector would call it one.
const readsAhead = false
