// dl-cuda lists the GPUs of the machine and has each keep, copy and return some memory, by CUDA's driver
// interface and without cgo. It is built everywhere with CGO_ENABLED=0, and needs NVIDIA's driver where it runs:
//
//	CGO_ENABLED=0 go run ./examples/dl-cuda
package main

import (
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/seamgo/seam/examples/dl-cuda/cuda"
)

func main() {
	library := flag.String("library", "", "load this file instead of libcuda.so.1")
	flag.Parse()
	if err := run(os.Stdout, *library); err != nil {
		fmt.Fprintln(os.Stderr, "dl-cuda:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, library string) error {
	var names []string
	if library != "" {
		names = append(names, library)
	}
	if err := cuda.Load(names...); err != nil {
		return fmt.Errorf("there is no driver of CUDA here: %w", err)
	}
	if err := cuda.Init(0); err != nil {
		return explain(err)
	}
	version, err := cuda.DriverGetVersion()
	if err != nil {
		return explain(err)
	}
	count, err := cuda.DeviceGetCount()
	if err != nil {
		return explain(err)
	}
	fmt.Fprintf(out, "CUDA %d.%d, %d devices\n", version/1000, version%1000/10, count)
	for i := range count {
		if err := try(out, i); err != nil {
			return fmt.Errorf("device %d: %w", i, explain(err))
		}
	}
	return nil
}

// explain adds what CUDA says of a code.
func explain(err error) error {
	if e := (*cuda.Error)(nil); errors.As(err, &e) && e.Text == "" {
		e.Text = cuda.GetErrorString(cuda.Result(e.Code))
	}
	return err
}

// try fills memory of a device, changes a part of it from here, copies it there, and reads it back.
func try(out io.Writer, ordinal int32) (err error) {
	// A context is current for its thread. So all of it runs on this one.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	device, err := cuda.DeviceGet(ordinal)
	if err != nil {
		return err
	}
	name := make([]byte, 256)
	if err := cuda.DeviceGetName(name, device); err != nil {
		return err
	}
	size, err := cuda.DeviceTotalMem(device)
	if err != nil {
		return err
	}
	text, _, _ := strings.Cut(string(name), "\x00")
	fmt.Fprintf(out, "%d: %s, %d MiB\n", ordinal, text, size>>20)

	ctx, err := cuda.CtxCreate(0, device)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ctx.Close()) }()
	const words = 1 << 20
	from, err := cuda.MemAlloc(4 * words)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cuda.MemFree(from)) }()
	to, err := cuda.MemAlloc(4 * words)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cuda.MemFree(to)) }()

	hello := []byte("from Go")
	back := make([]byte, 4*words)
	for _, err := range []error{
		cuda.MemsetD32(from, 0x5ea3, words),
		cuda.MemcpyHtoD(from+8, hello),
		cuda.MemcpyDtoD(to, from, 4*words),
		cuda.CtxSynchronize(),
		cuda.MemcpyDtoH(back, to),
	} {
		if err != nil {
			return err
		}
	}
	if got := string(back[8 : 8+len(hello)]); got != string(hello) {
		return fmt.Errorf("%q came back as %q", hello, got)
	}
	for i := range words {
		if got := binary.LittleEndian.Uint32(back[4*i:]); i < 2 && got != 0x5ea3 || i > 3 && got != 0x5ea3 {
			return fmt.Errorf("word %d came back as %#x", i, got)
		}
	}
	fmt.Fprintf(out, "%d: %d MiB there and back\n", ordinal, 4*words>>20)
	return nil
}
