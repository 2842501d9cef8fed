//go:build linux && !android && gc && !asan && !msan && go1.25 && !go1.28

package dl

// intRegisters is how many arguments that are words go in registers.
const intRegisters = 6

const isARM64 = 0

// prepare finds what the assembly needs in addition to the layout: nothing on amd64.
func prepare() error { return nil }
