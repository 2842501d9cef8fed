//go:build !race

package ring

// readsAhead: a reader that spins loads the next record's header too, and throws away what it
// gets: see spinner.until.
const readsAhead = true
