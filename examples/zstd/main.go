//go:build cgo && seam_libs

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

const help = `Usage: zstd [flags] [FILE...]

Compresses each FILE to FILE.zst, or standard input to standard output. The files
stay as they are.

Examples:
  zstd -level 19 access.log        makes access.log.zst
  zstd -d access.log.zst           makes access.log
  zstd -d < access.log.zst | wc

`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "zstd:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (err error) {
	f := flag.NewFlagSet("zstd", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.Usage = func() { fmt.Fprint(stderr, help); f.PrintDefaults() }
	var j job
	f.BoolVar(&j.decompress, "d", false, "decompress")
	f.IntVar(&j.level, "level", 3, "1 (quick) to 22 (small)")
	f.BoolVar(&j.force, "f", false, "overwrite files that are there")
	if err := f.Parse(args); err != nil {
		return err
	}
	if j.level < 1 || j.level > 22 {
		return fmt.Errorf("-level %d: want 1 to 22", j.level)
	}
	if j.codec, err = NewCodec(1); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.codec.Close()) }()
	if f.NArg() == 0 {
		return j.stream(ctx, stdout, stdin)
	}
	for _, name := range f.Args() {
		if err := j.file(ctx, name); err != nil {
			return err
		}
	}
	return nil
}
