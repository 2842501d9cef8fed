// Package callopt declares what generated code needs of the package of this name.
package callopt

type Option struct{}
