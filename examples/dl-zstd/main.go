// dl-zstd compresses and decompresses streams with the system's libzstd, without cgo: stream.go has an
// io.Writer and an io.Reader over a package that seam bind has written from zstd.h and zstd/bind.seam.
//
//	CGO_ENABLED=0 go run ./examples/dl-zstd -level 9 < file > file.zst
//	CGO_ENABLED=0 go run ./examples/dl-zstd -d < file.zst > file
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	level := flag.Int("level", 3, "how hard to compress, from 1 to 22")
	back := flag.Bool("d", false, "decompress")
	flag.Parse()
	err := fmt.Errorf("no arguments are wanted: it reads standard input and writes standard output")
	if flag.NArg() == 0 {
		err = run(os.Stdin, os.Stdout, *level, *back)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "dl-zstd:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer, level int, back bool) error {
	if back {
		r, err := NewReader(in)
		if err != nil {
			return err
		}
		defer r.Close()
		_, err = io.Copy(out, r)
		return err
	}
	w, err := NewWriter(out, level)
	if err != nil {
		return err
	}
	if _, err = io.Copy(w, in); err != nil {
		w.Close()
		return err
	}
	return w.Close()
}
