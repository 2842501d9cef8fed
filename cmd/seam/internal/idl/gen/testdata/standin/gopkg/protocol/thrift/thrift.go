// Package thrift stands in for the package whose interfaces Kitex asks for.
package thrift

type NocopyWriter interface {
	WriteDirect(b []byte, remainCap int) error
}
