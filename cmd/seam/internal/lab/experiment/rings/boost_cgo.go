//go:build linux && cgo

package rings

// #cgo LDFLAGS: -ldl
// #include <dlfcn.h>
// #include <stdlib.h>
//
// typedef void *make_queue(size_t capacity, size_t size, long together);
// typedef void use_queue(void *q, long n, long together);
// typedef void free_queue(void *q);
//
// static void *queue_make(void *f, size_t capacity, size_t size, long together) { return ((make_queue *)f)(capacity, size, together); }
// static void queue_send(void *f, void *q, long n, long together) { ((use_queue *)f)(q, n, together); }
// static void queue_free(void *f, void *q) { ((free_queue *)f)(q); }
import "C"

import (
	"context"
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unsafe"

	"github.com/seamgo/seam/cmd/seam/internal/filecache"
	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

//go:embed boost/queue.cc
var boostQueue string

// The functions of boost/queue.cc, once it is built and loaded.
var boost struct {
	sync.Mutex
	make, send, free unsafe.Pointer
	err              error
	tried            bool
}

// throughBoost is a boost::lockfree::spsc_queue between two threads.
func throughBoost(ctx context.Context, size int, via string) (*wire, error) {
	boost.Lock()
	defer boost.Unlock()
	if !boost.tried {
		boost.tried = true
		boost.err = loadBoost(ctx)
	}
	if boost.err != nil {
		return nil, boost.err
	}
	together := C.long(batch(size))
	if via == viaBoostEach {
		together = 1
	}
	q := C.queue_make(boost.make, capacity, C.size_t(size), together)
	if q == nil {
		return nil, lab.Skip("there is no memory for a queue, or no thread")
	}
	return &wire{
		send:  func(n int) error { C.queue_send(boost.send, q, C.long(n), together); return nil },
		close: func() { C.queue_free(boost.free, q) },
	}, nil
}

// loadBoost builds the queue and loads it, once for the process.
func loadBoost(ctx context.Context) error {
	cxx := os.Getenv("CXX")
	if cxx == "" {
		cxx = "c++"
	}
	words := strings.Fields(cxx)
	if _, err := exec.LookPath(words[0]); err != nil {
		return lab.Skip("there is no C++ compiler: %s", words[0])
	}
	version, err := exec.CommandContext(ctx, words[0], append(words[1:], "--version")...).Output()
	if err != nil {
		return lab.Skip("the C++ compiler doesn't start: %v", err)
	}
	cache, err := filecache.Open("ring")
	if err != nil {
		return err
	}
	folder, err := cache.Path(filecache.KeyOf(cxx, string(version), boostQueue), func(folder string) error {
		defer cache.Trim()
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return err
		}
		source := filepath.Join(folder, "queue.cc")
		if err := os.WriteFile(source, []byte(boostQueue), 0o666); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(ctx, 5*time.Minute) // headers of boost, on a busy machine
		defer cancel()
		args := append(words[1:], "-std=c++17", "-O2", "-fPIC", "-shared", "-pthread", "-o", filepath.Join(folder, "queue.so"), source)
		out, err := exec.CommandContext(ctx, words[0], args...).CombinedOutput()
		if strings.Contains(string(out), "boost/lockfree/spsc_queue.hpp: No such file") || strings.Contains(string(out), "'boost/lockfree/spsc_queue.hpp' file not found") {
			return lab.Skip("boost is not installed: no <boost/lockfree/spsc_queue.hpp> (Debian: libboost-dev)")
		}
		if err != nil {
			line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
			return lab.Skip("the queue of boost can't be built: %v: %s", err, line)
		}
		return nil
	})
	if err != nil {
		return err
	}
	path := C.CString(filepath.Join(folder, "queue.so"))
	defer C.free(unsafe.Pointer(path))
	library := C.dlopen(path, C.RTLD_NOW|C.RTLD_LOCAL) // and it stays
	if library == nil {
		return lab.Skip("the queue of boost can't be loaded: %s", C.GoString(C.dlerror()))
	}
	for name, to := range map[string]*unsafe.Pointer{"seam_rings_boost_new": &boost.make, "seam_rings_boost_send": &boost.send, "seam_rings_boost_free": &boost.free} {
		symbol := C.CString(name)
		*to = C.dlsym(library, symbol)
		C.free(unsafe.Pointer(symbol))
		if *to == nil {
			return lab.Skip("the queue of boost has no %s", name)
		}
	}
	return nil
}
