// Package bad starts goroutines with large frames.
package bad

import (
	"encoding/hex"
	"os"
)

// Serve starts one for each file.
func Serve(files chan *os.File) {
	for f := range files {
		go func() {
			var buf [32 << 10]byte // want note "buf puts 32"
			for {
				n, err := f.Read(buf[:])
				if err != nil {
					return
				}
				_ = buf[n]
			}
		}()
		go dump(f)
	}
}

func dump(f *os.File) {
	in, out := [4096]byte{}, [8192]byte{} // want note "in puts 4" // want note "out puts 8"
	n, _ := f.Read(in[:])
	hex.Encode(out[:], in[:n])
	f.Write(out[:2*n])
}
