// Package peers is the messages of ../idl in the code of our compiler and of others,
// a folder for each, which ../generate makes (make peers).
package peers
