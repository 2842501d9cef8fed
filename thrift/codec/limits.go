package codec

import "math"

// Limits bound what one message may cost, no matter who sent it. A field that is 0
// stands for its default.
//
// Whatever the limits, a length on the wire is believed only as far as the
// bytes that follow could hold that much, and at most some three times the size
// of the message is allocated before its bytes have proved the need. Limits are
// for messages that are well-formed and still too expensive.
type Limits struct {
	// Message is the size of a message in bytes. Default: 100 MB, as in
	// Apache's libraries.
	Message int
	// Container is the number of elements of a list or set, or of pairs of a
	// map. Default: no limit but that of the message.
	Container int
	// String is the length of a string or binary in bytes. Default: no limit
	// but that of the message.
	String int
	// Depth is how deep structs may be nested; in fields that are skipped,
	// lists, sets and maps count too. Default: 64.
	Depth int
	// Amplify is how many times its own size a message may take as Go
	// values, beyond the first 64 KB. It is what stops a flood of empty
	// structs, which take a byte each on the wire and perhaps 200 in memory.
	// Default: 4, or more if the type of the message proves the need: it has
	// lists of small numbers or short strings, of structs with many fields that
	// may be absent, or maps. That is up to 64 for the first 256 KB of a
	// message, because real lists of small maps and sparse structs come to 40,
	// and up to 16 for the rest. So a message of 100 MB may take 0.4 to 1.6 GB.
	// Below 0: nothing beyond the 64 KB.
	Amplify int
}

// The defaults of [Limits].
const (
	DefaultMessage = 100 << 20
	DefaultDepth   = 64
	DefaultAmplify = 16 // at most, beyond the first 256 KB of a message
)

// What the type of a message may prove to be legitimate is bounded: it is no danger to a server
// that a small message takes a lot for its size.
const (
	smallMessage = 256 << 10
	amplifySmall = 64 // for that much
	leastAmplify = 4  // without a proof
)

// allowance is the memory that every message may take.
const allowance = 64 << 10

// Options say how to decode. The zero value stands for the defaults.
type Options struct {
	Limits Limits
	// Views makes strings, binary fields and slices of bytes point into the
	// input instead of copying it. The input must then stay unchanged for as
	// long as anything of the message is in use. Don't decode into a message
	// with views without Views later: it would reuse the memory of its slices,
	// which is the old input.
	Views bool
	// UTF8 makes a string that is not UTF-8 an error, which Thrift itself
	// doesn't require.
	UTF8 bool
}

// WithDefaults returns the limits with what stands for fields that are 0,
// except for Amplify, whose default depends on the message. A negative limit
// admits nothing.
func (l Limits) WithDefaults() Limits {
	return Limits{
		Message:   or(l.Message, DefaultMessage),
		Container: or(l.Container, math.MaxInt32),
		String:    or(l.String, math.MaxInt32),
		Depth:     or(l.Depth, DefaultDepth),
		Amplify:   l.Amplify,
	}
}

func or(n, otherwise int) int {
	if n == 0 {
		return otherwise
	}
	return max(n, 0)
}

// memory is how many bytes of Go values a message of size bytes may take, whatever its type.
func (l *Limits) memory(size int) int64 {
	switch {
	case l.Amplify < 0:
		return allowance
	case l.Amplify > 0:
		return allowance + multiply(l.Amplify, size)
	}
	return allowance + multiply(leastAmplify, size)
}

// amplified is what a message may take whose type proves the need of a factor.
func amplified(factor, size int) int64 {
	small := min(size, smallMessage)
	return allowance + multiply(min(factor, amplifySmall), small) + multiply(min(factor, DefaultAmplify), size-small)
}

// multiply saturates where the allowance can still be added three times.
func multiply(factor, size int) int64 {
	const most = math.MaxInt64 / 4
	if size|factor < 1<<30 {
		return int64(factor) * int64(size) // without a division
	}
	if size > 0 && int64(factor) > most/int64(size) {
		return most
	}
	return int64(factor) * int64(size)
}
