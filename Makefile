# make demo    build the tool, price this machine's crossings, write seam-report.html; make an SQLite program faster
# make test    all tests, on every Go version and architecture: what CI runs
# make lint    gofmt, go vet, staticcheck, asmfmt
# make bench   the lab's normal run and the benchmarks, to bench.txt for benchstat; welded modules against
#              unwelded ones, to bench-weld.txt, and their own test suites;
#              hiredis by cgo and as coroutines, to bench-io.txt;
#              Thrift compilers, to bench-thrift.txt
# make generate  all committed code that seam gen has written
# make fuzz    every fuzz target for FUZZTIME (30s)
# make soak    1e9 leaf calls and 1e8 upcalls under stress on every Go version, 1e8 calls on arm64; 1e8 registered
#              buffers under cgocheck2; the long tests of weld

SHELL := /bin/sh

# The Go versions whose runtime layout internal/abi admits. The go command
# fetches what is not installed.
TOOLCHAINS := go1.25.5 go1.26.8 go1.27.3

STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
ASMFMT      := github.com/klauspost/asmfmt/cmd/asmfmt@v1.3.2

FUZZTIME ?= 30s

# What reads bytes and files of strangers: a hundred thousand inputs in every test, ten million
# in make fuzz.
THRIFT_FUZZ := idl/syntax FuzzParse$$|/thrift/codec Fuzz(DecodeBinary|DecodeCompact|Skip)$$

MODULES := . ./bench ./cmd/seam ./examples/weld-sqlite

# C code that is compiled for its results alone, not for its speed: SQLite takes
# gcc 15 s so, and 40 s as Go would compile it.
QUICK_CC := CGO_CFLAGS='-O1 -g0'

need-go:
	@command -v go >/dev/null || { echo "need: install Go 1.25 or later: https://go.dev/dl/" >&2; exit 1; }
	@go version | grep -Eq 'go1\.(2[5-9]|[3-9][0-9])' || [ "$$(go env GOTOOLCHAIN)" != local ] || \
		{ echo "need: Go 1.25 or later, this is $$(go version)" >&2; exit 1; }

need-cc: need-go
	@scripts/need gcc:gcc,libc6-dev git:git

# What the tests run besides: other architectures under an emulator.
need-test: need-cc
	@scripts/need g++:g++ qemu-aarch64:qemu-user qemu-arm:qemu-user objdump:binutils \
		aarch64-linux-gnu-g++:g++-aarch64-linux-gnu,libc6-dev-arm64-cross \
		arm-linux-gnueabihf-g++:g++-arm-linux-gnueabihf,libc6-dev-armhf-cross \
		x86_64-w64-mingw32-gcc:gcc-mingw-w64-x86-64

# Libraries and servers that C code waits for: the examples hiredis, libpq and odbc, and
# bench/cmd/iobench, which have the build tag seam_servers.
need-servers: need-cc
	@scripts/need redis-server:redis-server '/usr/lib/postgresql/*/bin/initdb:postgresql' \
		/usr/include/hiredis/hiredis.h:libhiredis-dev /usr/include/postgresql/libpq-fe.h:libpq-dev \
		/usr/include/sql.h:unixodbc-dev '/usr/lib/*/odbc/psqlodbcw.so:odbc-postgresql' \
		/usr/include/sqlite3.h:libsqlite3-dev

# C++ libraries that the examples simdjson and zstd, and seam lab payload, call.
need-libs: need-cc
	@scripts/need g++:g++ /usr/include/simdjson.h:libsimdjson-dev /usr/include/zstd.h:libzstd-dev zstd:zstd \
		/usr/include/rapidjson/reader.h:rapidjson-dev /usr/include/nlohmann/json.hpp:nlohmann-json3-dev

# Apache's Thrift in C++, Python and Java.
need-thrift: need-cc
	@scripts/need thrift:thrift-compiler g++:g++ flex:flex bison:bison /usr/include/thrift/Thrift.h:libthrift-dev \
		/usr/include/boost/version.hpp:libboost-dev /usr/include/openssl/ssl.h:libssl-dev \
		python3:python3,python3-venv mvn:maven javac:default-jdk-headless

build: need-cc
	go build -o bin/seam ./cmd/seam

demo: build
	bin/seam lab --quick --html seam-report.html
	scripts/demo-weld bin/seam

# ---- tests

test: test-native test-race test-toolchains test-builds test-arm64 test-arm test-servers test-libs test-weld test-fuzz test-thrift
	@echo "make test: all passed"

# The longest first: what waits for one of its builds leaves a core to the others. On a
# busy machine it takes more than the ten minutes that go test gives a package.
test-native: need-test need-libs
	SEAM_WANT_LEAF=assembly SEAM_TOOLCHAINS="$(TOOLCHAINS)" go test -timeout 30m ./cmd/seam/weldtest ./... ./cmd/seam/...

# Packages that build programs, or know nothing of threads and Go versions: natively is
# enough for them.
ONCE := /weldtest|/lab/(experiment/(errorpath|payload|lifetime)|compare|report|result)|/internal/(layout|nearest|quantity|stats|stack/(event|frames|limits|symbols|report|overlay|view))$$|/examples/layout|/internal/idl/|/internal/asm/|/internal/textdiff

# Packages of one goroutine and no unsafe, whose tests run cgo, gcc and the go command
# besides: the race detector and checkptr have nothing to see in them.
ALONE := /(gotool|weld/(cgofile|explain|leaks|plan|recording|toolexec|calltrace|runtime/macros))$$

# Tests that build programs of their own, or give a compiler a header. The flags that the
# test itself is built with don't reach those. GOEXPERIMENT does, but cgocheck2 has nothing
# to find in programs that hand C numbers.
OTHER := ^(TestLinkedLibraries|TestSharedLibrary|TestGuardNamesFunctionsBySymbol|TestDWARF|TestHeader)$$

# Tests of thrift that decode a great deal on one goroutine. What else -race looks at
# there, checkptr, is stricter in test-builds, which runs them.
CODEC := ^(TestDecodersAgreeOnBytesThatWereChanged|TestEveryTruncationIsRefused|TestSkippingAgreesWithTheReference|TestClaimsDontAllocate)$$

# go test vets what it tests. The stages that test the same files once more, built in
# another way, leave that out: test-native and lint have done it.
AGAIN := -vet=off

test-race: need-test
	SEAM_WANT_LEAF=assembly go test $(AGAIN) -race -skip '$(OTHER)|$(CODEC)' $$(go list ./... ./cmd/seam/internal/... | grep -vE '$(ONCE)|$(ALONE)|/internal/cli$$')
	SEAM_WANT_LEAF=assembly go test $(AGAIN) -race -skip '^TestTrace|^TestPlan|^TestExplain|^TestLeaks|^TestLayout|^TestStack' ./cmd/seam/internal/cli # these run other programs

# The toolchain at hand has been tested natively. Welding with the others is
# TestGoVersions in weldtest, the layout of their runtimes TestDWARF in internal/abi, which
# test-native runs.
test-toolchains: need-test
	for t in $(TOOLCHAINS); do \
		[ "$$(go env GOVERSION)" = $$t ] && continue; \
		echo "== $$t"; \
		GOTOOLCHAIN=$$t SEAM_WANT_LEAF=assembly go test -skip '^TestDWARF$$' ./... $$(go list ./cmd/seam/internal/weld/...) || exit 1; \
		GOTOOLCHAIN=$$t SEAM_WANT_LEAF=assembly go test $(AGAIN) -race -short -skip '$(OTHER)' ./leaf ./coro ./offload ./mem ./internal/... ./cmd/seam/internal/weld/runtime/leaf/rt || exit 1; \
	done

# checkptr for Seam's own conversions: with all=, the standard library would be compiled
# once more, for conversions that are not ours.
CHECKPTR := -gcflags=github.com/seamgo/seam/...=-d=checkptr=2

# For go vet, which compiles what a package imports for its types alone: not optimised
# takes two thirds of the time.
TYPES := -gcflags=all='-N -l'

# Builds that take the fallback or have no C, and systems that we can't run.
test-builds: need-test
	SEAM_WANT_LEAF=cgo go test $(AGAIN) -asan -short -skip '$(OTHER)' ./leaf ./offload ./internal/...
	go test $(AGAIN) -asan -short -run 'TestCall|TestUpcalls|TestPanic|TestCancel|TestException|TestFork' ./coro
	SEAM_WANT_LEAF=cgo go test $(AGAIN) -asan -short -run 'TestView|TestFill|TestArena|TestBuffer|TestHold|TestToken$$|TestStress' ./mem
	CGO_CFLAGS='-O1 -g -fsanitize=address' CGO_CXXFLAGS='-O1 -g -fsanitize=address' CGO_LDFLAGS=-fsanitize=address \
		ASAN_OPTIONS=detect_leaks=0 go test $(AGAIN) -short ./coro
	SEAM_CORO=cgo go test $(AGAIN) -short ./coro
	SEAM_WANT_LEAF=assembly go test $(AGAIN) -short -skip '$(OTHER)' $(CHECKPTR) ./leaf ./coro ./offload
	go test $(AGAIN) -short -skip '$(OTHER)|^TestAllocate$$|^TestCallsDontAllocate$$' $(CHECKPTR) ./mem/... ./thrift/... # which makes what it checks escape
	GODEBUG=cgocheck=1 GOEXPERIMENT=cgocheck2 SEAM_WANT_LEAF=assembly go test $(AGAIN) -short -skip '$(OTHER)' ./leaf ./coro ./offload ./mem/...
	SEAM_WANT_LEAF=assembly go test $(AGAIN) -short -skip '$(OTHER)' -buildmode=pie ./leaf ./coro ./internal/...
	SEAM_WANT_LEAF=none CGO_ENABLED=0 go test $(AGAIN) ./leaf ./coro/... ./offload/... ./mem/... ./internal/... $$(CGO_ENABLED=0 go list ./cmd/seam/... | grep -vE '$(ONCE)')
	CGO_ENABLED=0 go vet ./... ./cmd/seam/...
	GOOS=windows CGO_ENABLED=1 CC=x86_64-w64-mingw32-gcc go vet ./leaf
	GOOS=windows CGO_ENABLED=1 CC=x86_64-w64-mingw32-gcc go build ./coro ./offload ./mem
	for os in darwin windows freebsd; do GOOS=$$os CGO_ENABLED=0 go vet $(TYPES) ./... ./cmd/seam/... || exit 1; done

ARM64 := GOARCH=arm64 CGO_ENABLED=1 CC=aarch64-linux-gnu-gcc CXX=aarch64-linux-gnu-g++ QEMU_LD_PREFIX=/usr/aarch64-linux-gnu SEAM_TEST_EMULATOR=qemu-aarch64
ARM   := GOARCH=arm CGO_ENABLED=1 CC=arm-linux-gnueabihf-gcc CXX=arm-linux-gnueabihf-g++ QEMU_LD_PREFIX=/usr/arm-linux-gnueabihf SEAM_TEST_EMULATOR=qemu-arm

test-arm64: need-test
	for t in $(TOOLCHAINS); do \
		echo "== $$t arm64"; \
		$(ARM64) GOTOOLCHAIN=$$t SEAM_WANT_LEAF=assembly go test -skip '^TestDWARF$$' -exec qemu-aarch64 ./leaf ./internal/... ./weld ./cmd/seam/internal/weld/runtime/leaf/rt || exit 1; \
	done
	$(ARM64) go test -short -exec qemu-aarch64 ./coro
	$(ARM64) go test -short -skip Linked -exec qemu-aarch64 ./offload ./coro/netio ./mem/... ./examples/qsort ./thrift/...
	$(ARM64) go vet ./cmd/seam/...
	$(ARM64) go test -exec qemu-aarch64 $(addprefix ./cmd/seam/internal/lab/,subprocess $(addprefix experiment/,call grid switches spawn guard callback blocking events cacheline growth)) ./cmd/seam/internal/stack/symbols

# 32 bits: the fallback.
test-arm: need-test
	GOARCH=386 CGO_ENABLED=0 go test -short ./thrift/... ./mem/... # 32 bits that need no emulator
	$(ARM) SEAM_WANT_LEAF=cgo go test -skip '^TestDWARF$$' -exec qemu-arm ./leaf ./internal/...
	$(ARM) go test -short -exec qemu-arm -run 'TestControl|TestCall|TestUpcalls|TestPanic|TestGenerator|TestCancel|TestWaitFD' ./coro
	$(ARM) go test -short -exec qemu-arm -run 'TestDo|TestClose' ./offload
	$(ARM) go test -short -exec qemu-arm -skip 'DebugMode|LateCancel|ManyPools|Many' ./mem

# Against real servers, which the tests start themselves.
test-servers: need-servers
	go test $(AGAIN) -tags seam_servers ./examples/... ./bench/cmd/iobench

# Examples that need C++ libraries (build tag seam_libs).
test-libs: need-libs
	go test $(AGAIN) -tags seam_libs ./examples/simdjson ./examples/zstd
	go test $(AGAIN) -race -tags seam_libs ./examples/simdjson ./examples/zstd
	SEAM_MEM=debug GODEBUG=cgocheck=1 GOEXPERIMENT=cgocheck2 go test $(AGAIN) -count=1 -tags seam_libs ./examples/simdjson ./examples/zstd
	go test $(AGAIN) -skip Allocate $(CHECKPTR) -tags seam_libs ./examples/simdjson ./examples/zstd

# The benchmarks, once each, for their checks; then the test suite of a module, welded
# and as it is: what must pass is what passes without welding (make bench runs the
# suites of four). Some three minutes on two cores with an empty cache, half of it gcc's.
test-weld: build
	$(QUICK_CC) go test $(AGAIN) -bench . -benchtime 1x ./bench/... ./examples/weld-sqlite/...
	go run ./bench/cmd/weldsuites -seam bin/seam -cflags '-O1 -g0' h3

# Against Apache's Thrift in other languages: values there and back, live calls.
test-thrift: need-thrift
	go test $(AGAIN) -tags seam_thrift_peers ./bench/thrift/conform

test-fuzz: need-cc
	scripts/fuzz 100000x '$(THRIFT_FUZZ)'

# ---- the rest

lint: need-servers need-libs
	@scripts/need g++:g++
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); [ -z "$$unformatted" ] || { echo "gofmt -w needed: $$unformatted" >&2; exit 1; }
	@unformatted=$$(go run $(ASMFMT) -l $$(git ls-files '*.s')); [ -z "$$unformatted" ] || { echo "asmfmt -w needed: $$unformatted" >&2; exit 1; }
	go vet ./... ./cmd/seam/...
	go vet -tags seam_servers ./examples/... ./bench/cmd/iobench
	go vet -tags seam_thrift_peers ./bench/thrift/conform
	go vet -tags seam_libs ./examples/simdjson ./examples/zstd
	$(QUICK_CC) go vet ./bench/... ./examples/weld-sqlite/...
	for m in $(MODULES); do (cd $$m && go run $(STATICCHECK) -tags seam_servers,seam_libs ./...) || exit 1; done

# All code that seam gen has written, and what is compared with it.
generate: build need-thrift
	go generate ./thrift/... ./examples/thrift-orders ./examples/layout ./bench/thrift/...
	go test ./cmd/seam/internal/idl/gen -run Golden -update

bench: build need-servers
	bin/seam lab --benchfmt bench.txt
	go test -run '^$$' -bench . -count 6 ./leaf ./internal/abi ./coro ./mem
	go run -tags seam_servers ./bench/cmd/iobench -o bench-io.txt
	go run -tags seam_servers ./bench/cmd/iobench -blpop 10000
	go run -tags seam_servers ./bench/cmd/iobench -cancel
	go run ./bench/cmd/weldbench -seam bin/seam -o bench-weld.txt
	go run ./bench/cmd/weldsuites -seam bin/seam
	go run ./bench/cmd/thriftbench -seam bin/seam -o bench-thrift.txt

fuzz: need-cc need-libs
	scripts/fuzz $(FUZZTIME)
	scripts/fuzz 10000000x '$(THRIFT_FUZZ)'

soak: need-test
	for t in $(TOOLCHAINS); do \
		echo "== $$t"; \
		GOTOOLCHAIN=$$t SEAM_WANT_LEAF=assembly SEAM_STRESS=1e9 go test -count=1 -v -timeout 60m -run 'TestStress' ./leaf || exit 1; \
		GOTOOLCHAIN=$$t SEAM_WANT_LEAF=assembly SEAM_STRESS=1e8 go test -count=1 -race -v -timeout 60m -run 'TestStress' ./leaf || exit 1; \
	done
	$(ARM64) SEAM_WANT_LEAF=assembly SEAM_STRESS=1e8 go test -count=1 -v -timeout 60m -exec qemu-aarch64 -run 'TestStress' ./leaf
	for t in $(TOOLCHAINS); do GOTOOLCHAIN=$$t SEAM_STRESS=1e8 go test -count=1 -v -timeout 60m -run TestStress ./coro || exit 1; done
	SEAM_STRESS=1e7 go test -race -count=1 -v -timeout 60m -run TestStress ./coro
	SEAM_STRESS=1e6 go test -count=1 -v -timeout 60m -run TestStress ./offload
	GODEBUG=cgocheck=1 GOEXPERIMENT=cgocheck2 SEAM_STRESS=1e8 go test -count=1 -v -timeout 60m -run TestStress ./mem
	SEAM_STRESS=1e7 go test -race -count=1 -v -timeout 60m -run TestStress ./mem
	SEAM_SOAK=1 SEAM_TOOLCHAINS="$(TOOLCHAINS)" go test -count=1 -v -timeout 120m ./cmd/seam/weldtest

clean:
	rm -rf bin bench.txt bench-weld.txt bench-thrift.txt bench-io.txt seam-report.html

.PHONY: need-go need-cc need-test need-servers need-libs need-thrift build demo test test-native test-race test-toolchains test-builds test-arm64 test-arm test-servers test-libs test-weld test-fuzz test-thrift lint generate bench fuzz soak clean
