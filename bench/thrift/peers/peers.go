// Package peers is the messages of ../idl in the code of our compiler and of others,
// a folder for each.
package peers

//go:generate ./generate
