// Package measured was watched.
package measured

// int unknown(int i);
// static int seldom(int i) { return i; }
import "C"

// Each is hot at one place.
func Each(n int) {
	for i := range n {
		C.unknown(C.int(i)) // want warning "2,000,000 times a second; a crossing costs 40.0 ns here, which makes 8.0 % of a processor, welded 3.00 ns; 12.5 % of the profile's time"
		C.seldom(C.int(i))
		C.seldom(C.int(i)) // want note "a crossing costs 40.0 ns here"
	}
}
