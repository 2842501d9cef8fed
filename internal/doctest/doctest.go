// Package doctest holds the tests of the repository's documents: what they link to
// and every path that they name must exist.
package doctest
