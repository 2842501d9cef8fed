// Package transport declares what generated code needs of the package of this name.
package transport

type Protocol int

const GRPC Protocol = 1
