// Package bad starts goroutines with large frames.
package bad

import (
	"encoding/hex"
	"os"
	"sync"
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

// Group starts one for each file, by a WaitGroup.
func Group(files []*os.File) {
	var wg sync.WaitGroup
	for _, f := range files {
		wg.Go(func() {
			var buf [16 << 10]byte // want note "buf puts 16"
			f.Read(buf[:])
		})
		wg.Go(clear)
	}
	wg.Wait()
}

func clear() {
	var table [1000]int64 // want note "table puts 7.81"
	for i := range table {
		table[i]++
	}
}
