package codec

import "fmt"

// FastWrite writes m into buf, which has the room that BLength asked for, and
// gives the number of bytes. The FastWrite methods of generated code, which
// are for Kitex, call it. They have no way to give an error: what AppendBinary
// refuses is a panic, which Kitex makes an error of the call.
func FastWrite(buf []byte, m interface{ AppendBinary([]byte) ([]byte, error) }) int {
	out, err := m.AppendBinary(buf[:0:len(buf)])
	if err != nil {
		panic(fmt.Errorf("thrift: %T can't be written: %w", m, err))
	}
	if len(out) > len(buf) {
		panic(fmt.Errorf("thrift: %T takes %d bytes and has room for %d: it was changed while it was written", m, len(out), len(buf)))
	}
	// Where AppendBinary wanted more room meanwhile, out is elsewhere.
	return copy(buf, out)
}

// FastSize is the size of a list of strings in the binary protocol, without
// its head. BLength methods call it.
func FastSize[T string | []byte](list []T) int {
	n := 4 * len(list)
	for _, s := range list {
		n += len(s)
	}
	return n
}
