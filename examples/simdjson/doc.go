// Command simdjson sums up events parsed by simdjson, as Debian ships it: a C++
// library that reads Go's bytes in place and leaves a table of records in Go's
// memory, where Go reads them in place. Not a byte is copied from one side to the
// other, and a document allocates nothing once the first ones have made room.
//
//	go run -tags seam_libs ./examples/simdjson events.ndjson
//	echo '{"id":1,"type":"order","items":[{"sku":"A-1","price":2.5,"quantity":3}]}' |
//		go run -tags seam_libs ./examples/simdjson
//
// It needs Debian's package libsimdjson-dev and a C++ compiler, and the build tag
// seam_libs, which says that they are installed. README.md says whose memory is whose.
package main
