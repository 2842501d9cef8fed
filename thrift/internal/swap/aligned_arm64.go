package swap

// aligned64 is reverse64: the processors at hand don't mind where stores go.
func aligned64(dst, src *byte, n int) { reverse64(dst, src, n) }
