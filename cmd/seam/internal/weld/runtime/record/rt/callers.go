package rt

import "runtime"

func init() {
	SeamCallers = runtime.Callers
	SeamFrames = seamWriteStack
	SeamVersion = runtime.Version() + "\x00" + runtime.GOOS + "\x00" + runtime.GOARCH
}

// seamWriteStack writes a stack as text, in the process that made it: binaries
// of tests are gone when the record is read.
func seamWriteStack(pcs []uintptr) []byte {
	var text []byte
	frames := runtime.CallersFrames(pcs)
	for {
		f, more := frames.Next()
		if f.Function != "" {
			text = append(append(text, f.Function...), 0)
			text = append(append(text, f.File...), 0)
			text = append(seamDigits(text, f.Line), 0)
		}
		if !more {
			return text
		}
	}
}

func seamDigits(text []byte, n int) []byte {
	if n >= 10 {
		text = seamDigits(text, n/10)
	}
	return append(text, byte('0'+max(n, 0)%10))
}
