//go:build unix

package main

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/seamgo/seam/internal/testenv"
)

// A stage is one way to test, in a few runs of the go command.
type stage struct {
	name string
	runs func() []*command
}

// stages are all of them. The longest come first, so that the short ones fill what is
// left of the processors at the end.
var stages = []stage{
	// What a contributor runs.
	{"check", func() []*command {
		return []*command{
			test(env{wantLeaf, testenv.Native + "=1"}, "-short", ours).takes(400),
			goCommand("vet", nil, ours).takes(60),
		}
	}},
	// All that this machine does by itself.
	{"native", func() []*command { return native(env{wantLeaf, testenv.Native + "=1"}, 1200) }},
	// The same, and what these tests do with other versions of Go and under emulators.
	{"native-all", func() []*command {
		return native(env{wantLeaf, "SEAM_TOOLCHAINS=" + strings.Join(toolchains, " ")}, 1800)
	}},
	{"arm64", func() (list []*command) {
		for _, v := range toolchains {
			list = append(list, test(arm64.and(wantLeaf, "GOTOOLCHAIN="+v, again(testenv.Toolchain, testenv.Arch)),
				"-exec=qemu-aarch64 ./leaf ./internal/abi ./internal/child ./weld ./dl ./cmd/seam/internal/weld/runtime/leaf/rt").takes(120))
		}
		return append(list,
			test(arm64.and("CGO_ENABLED=0", again(testenv.Arch)), "-exec=qemu-aarch64 ./dl").takes(30),
			test(arm64.and(again(testenv.Arch)), "-short -exec=qemu-aarch64 need:arm64").takes(300),
			goCommand("vet", arm64, "need:metal ./thrift/internal/swap ./cmd/seam/internal/lab/experiment/call/...").takes(30), // which have assembly
		)
	}},
	{"race", func() []*command {
		return []*command{test(env{again(testenv.Flags, testenv.Race), wantLeaf}, "-race -tags=seam_libs need:race").takes(600)}
	}},
	{"toolchains", func() (list []*command) {
		for _, v := range toolchains {
			if v == runtime.Version() {
				continue // which the other stages have
			}
			version := env{"GOTOOLCHAIN=" + v}
			usual := version.and(wantLeaf, again(testenv.Toolchain))
			if v == toolchains[len(toolchains)-1] {
				usual = usual.and("GOMAXPROCS=16") // as on a larger machine; the go command takes what there is
			}
			list = append(list,
				test(usual, fmt.Sprintf("-p=%d -parallel=%[1]d need:toolchains", runtime.NumCPU())).takes(250),
				test(version.and(wantLeaf, again(testenv.Toolchain, testenv.Flags, testenv.Race)), "-race -short need:metal").takes(250),
				test(version.and("CGO_ENABLED=0", again(testenv.Toolchain, testenv.Flags)), "./dl").takes(30),
				// Of the other packages: they and their tests compile.
				goCommand("build", version, "./... ./thrift/... ./examples/thrift-orders ./cmd/seam/internal/lab/...").takes(60),
				goCommand("run", version.and("CGO_ENABLED=0"), "./internal/typecheck", ours).takes(15))
		}
		return list
	}},
	// Builds that take the fallback, or that check what others don't.
	{"builds", func() []*command {
		flags := again(testenv.Flags)
		cgocheck2 := env{"GODEBUG=cgocheck=1", "GOEXPERIMENT=cgocheck2", flags, wantLeaf}
		return []*command{
			test(env{flags, wantCgo}, "-asan -short need:asan").takes(120),
			test(env{flags, "ASAN_OPTIONS=detect_leaks=0"}, "-asan -short ./dl").takes(30), // through purego
			test(env{flags, "SEAM_DL=cgo"}, "-short ./dl").takes(20),
			test(env{flags, "CGO_ENABLED=0"}, "./examples/dl-cuda ./examples/dl-sqlite ./examples/dl-zstd").takes(10),
			test(env{flags, "CGO_CFLAGS=-O1 -g -fsanitize=address", "CGO_CXXFLAGS=-O1 -g -fsanitize=address",
				"CGO_LDFLAGS=-fsanitize=address", "ASAN_OPTIONS=detect_leaks=0"}, "-short ./coro").takes(60), // in C alone: coroutines stay as they are
			test(env{flags, "SEAM_CORO=cgo"}, "-short ./coro").takes(30),
			// All that looks at pointers, at once: the standard library is compiled for it once.
			test(cgocheck2, checkptr, "-buildmode=pie -short need:pointers").takes(250),
			test(cgocheck2.and("SEAM_MEM=debug"), "-buildmode=pie -tags=seam_libs ./examples/simdjson ./examples/zstd").takes(40),
			test(env{flags, wantNone, "CGO_ENABLED=0"}, "need:nocgo").takes(150),
		}
	}},
	// Systems that we can't run: all compiles, and go vet finds nothing in what is built
	// without cgo, nor in what has assembly for Windows.
	{"portable", func() []*command {
		mingw := env{"GOOS=windows", "CGO_ENABLED=1", "CC=x86_64-w64-mingw32-gcc"}
		pure := env{"CGO_ENABLED=0"}
		return []*command{
			goCommand("run", pure, "./internal/typecheck -for darwin/arm64,windows/amd64,freebsd/amd64,linux/arm64 ./... ./thrift/... ./cmd/seam/...").takes(22),
			goCommand("run", pure, "./internal/typecheck -for darwin/arm64,windows/amd64,linux/386,linux/arm64 ./dl").takes(3),
			goCommand("vet", pure, ours).takes(30),
			goCommand("vet", mingw, "./leaf").takes(1),
			goCommand("build", mingw, "./coro ./offload ./mem ./ring ./prof").takes(4),
		}
	}},
	// 32 bits: the fallback.
	{"arm", func() []*command {
		return []*command{
			test(arm.and(again(testenv.Arch), wantCgo), "-short -exec=qemu-arm need:arm").takes(170),
			// Loads and stores of machines that want aligned addresses.
			test(arm.and(again(testenv.Arch)), "-short -exec=qemu-arm -run=EveryType|AnyOrder|WhatItAppends|CarryTheSame|Truncation ./thrift/codec").takes(15),
			test(env{"GOARCH=386", "CGO_ENABLED=0", again(testenv.Arch)}, "-short need:386").takes(115), // which needs no emulator
		}
	}},
	// The benchmarks, once each, for their checks; then the test suite of a module,
	// welded and as it is: what must pass is what passes without welding (make bench
	// runs the suites of four). SQLite is compiled for its results alone.
	{"weld", func() []*command {
		return []*command{
			test(env{again(testenv.Flags), quickC}, "-bench=. -benchtime=1x ./bench/... ./examples/weld-h3/... ./examples/weld-sqlite/...").takes(46),
			goCommand("run", nil, "./bench/cmd/weldsuites -seam bin/seam -cflags=-O1 h3").takes(20),
		}
	}},
	// Against Apache's Thrift in other languages: values there and back, live calls.
	{"thrift", func() []*command {
		return []*command{test(env{again(testenv.Flags)}, "-tags=seam_thrift_peers ./bench/thrift/conform").takes(132)}
	}},
	// Orders on a cluster: Kitex servers found through etcd, called by Apache's clients too.
	{"cluster", func() []*command {
		return []*command{
			test(env{again(testenv.Flags)}, "-tags=seam_thrift_peers ./examples/thrift-cluster/...").takes(88),
			goCommand("test", env{"GOWORK=off"}, "-C examples/thrift-cluster/deploy/check -vet=off .").takes(2), // a module outside of the workspace
		}
	}},
	// Other seeds than the last time: what fails is printed with its seed.
	{"torture", func() []*command {
		day := fmt.Sprint(time.Now().Unix() / (24 * 60 * 60))
		return []*command{
			test(env{"SEAM_TORTURE=1"}, "-count=1 -v -run=^TestTorture$ ./internal/torture").takes(60),
			test(env{"SEAM_EVOLUTIONS=400", "SEAM_EVOLUTION_SEED=" + day}, "-run=^TestEvolution$ ./cmd/seam/internal/idl/compat").takes(100),
		}
	}},
	{"fuzz", func() []*command { return fuzz("50000x", 150) }},
	{"fuzz-long", func() []*command { return fuzz("10000000x", 24800) }},
	{"soak", soak},
}

// soak is what takes hours: 1e9 leaf calls and 1e8 upcalls under stress on every
// version of Go, and 10 minutes of torture; 1e8 calls on arm64, 1e8 registered buffers
// under cgocheck2, 1e6 calls of a Thrift pool whose servers die, and the long tests of programs that seam weld has built.
func soak() (list []*command) {
	stress := func(e env, calls, args string) {
		list = append(list, test(e.and("SEAM_STRESS="+calls), "-count=1 -v -timeout=60m -run=TestStress", args))
	}
	for _, v := range toolchains {
		version := env{"GOTOOLCHAIN=" + v, wantLeaf}
		stress(version, "1e9", "./leaf")
		stress(version, "1e8", "-race ./leaf")
		stress(version, "1e8", "./coro")
		list = append(list, test(version.and("SEAM_TORTURE=10"), "-count=1 -v -timeout=30m -run=^TestTorture$ ./internal/torture"))
	}
	stress(arm64.and(wantLeaf), "1e8", "-exec=qemu-aarch64 ./leaf")
	stress(nil, "1e7", "-race ./coro")
	stress(nil, "1e6", "./offload")
	stress(env{"GODEBUG=cgocheck=1", "GOEXPERIMENT=cgocheck2"}, "1e8", "./mem")
	stress(nil, "1e7", "-race ./mem")
	stress(nil, "1e10", "./ring")
	stress(nil, "1e6", "./thrift")
	list = append(list, test(env{"SEAM_SOAK=1"}, "-count=1 -v -timeout=60m -run=TestSoak|TestFork ./prof"))
	long := env{"SEAM_SOAK=1", "SEAM_TOOLCHAINS=" + strings.Join(toolchains, " ")}
	list = append(list,
		test(long, "-count=1 -v -timeout=30m -run=TestCrossPackages ./cmd/seam/internal/cli"),
		test(long, "-count=1 -v -timeout=30m -run=TestManyRings ./ring"),
		test(long, "-count=1 -v -timeout=60m -run=LargerThanMemory ./thrift/codec"))
	list = append(list, test(long, "-count=1 -v -timeout=30m -run=TestAMinuteWithoutEtcd|TestConnections|TestImage ./examples/thrift-cluster/fleet ./examples/thrift-cluster/deploy"))
	return append(list, test(long, "-count=1 -v -timeout=120m ./cmd/seam/weldtest ./cmd/seam/internal/lab/experiment ./cmd/seam/internal/lab/experiment/versions"))
}

// native is the tests as anybody runs them, in one run: two would compile the same packages
// twice where the cache is cold. The package that takes longest is the first, and as many
// wait for other processes and for the clock as there are processors besides. The examples
// that need libraries and servers, which their tests start, are among them.
func native(e env, seconds float64) []*command {
	return []*command{test(e, fmt.Sprintf("-p=%d", runtime.NumCPU()+2),
		"-tags=seam_servers,seam_libs ./cmd/seam/weldtest ./bench/cmd/iobench", ours).takes(seconds)}
}

// toolchains are the versions of Go whose runtime layout internal/abi admits. The go
// command fetches what is not installed.
var toolchains = []string{"go1.25.5", "go1.26.8", "go1.27.3"}

// fuzz gives so many inputs to what reads other people's bytes and files.
func fuzz(inputs string, seconds float64) []*command {
	return []*command{{cost: seconds, args: []string{"scripts/fuzz", inputs, `idl/syntax FuzzParse$|/unwind FuzzTable$|/thrift/codec Fuzz(DecodeBinary|DecodeCompact|Skip|Stream)$|/thrift FuzzTHeader$`}},
		// Each input of this one is a package that is generated and checked: milliseconds.
		{cost: seconds / 4, args: []string{"scripts/fuzz", strings.Replace(inputs, "0x", "x", 1), `/bind FuzzFile$`}}}
}

// ours are all packages of the library, of Thrift and of the tool: four modules.
const ours = "./... ./cmd/seam/... ./dl ./thrift/... ./examples/thrift-orders"

// Ways to build and to run.
const (
	wantLeaf = "SEAM_WANT_LEAF=assembly" // a test fails where leaf takes another path
	wantCgo  = "SEAM_WANT_LEAF=cgo"
	wantNone = "SEAM_WANT_LEAF=none"
	quickC   = "CGO_CFLAGS=-O1 -g0"
	// checkptr looks at Seam's own conversions: with all= the standard library would be
	// compiled once more, for conversions that are not ours.
	checkptr = "-gcflags=github.com/seamgo/seam/...=-d=checkptr=2"
)

var (
	arm64 = env{"GOARCH=arm64", "CGO_ENABLED=1", "CC=aarch64-linux-gnu-gcc", "CXX=aarch64-linux-gnu-g++",
		"QEMU_LD_PREFIX=/usr/aarch64-linux-gnu", "SEAM_TEST_EMULATOR=qemu-aarch64"}
	arm = env{"GOARCH=arm", "CGO_ENABLED=1", "CC=arm-linux-gnueabihf-gcc", "CXX=arm-linux-gnueabihf-g++",
		"QEMU_LD_PREFIX=/usr/arm-linux-gnueabihf", "SEAM_TEST_EMULATOR=qemu-arm"}
)

// env is environment variables.
type env []string

func (e env) and(more ...string) env { return slices.Concat(e, more) }

// again tells tests that they have run before, natively.
func again(ways ...string) string { return testenv.Again + "=" + strings.Join(ways, ",") }

// goCommand is a run of the go command.
func goCommand(verb string, e env, args ...string) *command {
	return &command{env: e, args: append([]string{"go", verb}, strings.Fields(strings.Join(args, " "))...)}
}

// timeout is for the tests of one package. At a load of 30 on two processors weldtest has been
// seen to take more than an hour; which tests go on for how long is printed meanwhile.
const timeout = "-timeout=4h"

// test is a run of go test. It vets nothing: make lint does, once, and so does check.
func test(e env, args ...string) *command {
	c := goCommand("test", e, append([]string{"-json -vet=off", timeout}, args...)...)
	c.json = true
	return c
}

// takes says how many seconds of processor time the run takes, or of waiting if that is
// longer, on CI's machine. It need not be exact: it tells how much is left.
func (c *command) takes(seconds float64) *command {
	c.cost = seconds
	return c
}

func names() (list []string) {
	for _, s := range stages {
		list = append(list, s.name)
	}
	return list
}
