// Package clients is what the examples with blocking C clients of databases share:
// the ways in which C is called, and many connections at once.
package clients
