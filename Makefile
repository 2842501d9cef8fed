# make demo    build the tool, show what calls cost on this machine, make a program faster, write seam-report.html
# make demo-cluster  etcd and three servers of examples/thrift-cluster: load, one is killed, one comes, one drains
# make check   gofmt, asmfmt, go vet and the quick tests, on this machine as it is: what a contributor runs
# make test    all tests, on this machine and with its Go version: about ten minutes on two processors
# make test-all  and on every Go version and architecture, with -race and sanitizers, against Thrift peers, with torture
#              and fuzzing: what CI runs
# make lint    gofmt, asmfmt, go vet, staticcheck
# make bench   the lab's normal run and the benchmarks, to bench.txt for benchstat; welded modules against
#              unwelded ones, to bench-weld.txt, and their own test suites;
#              hiredis by cgo and as coroutines, to bench-io.txt;
#              Thrift compilers, to bench-thrift.txt
# make generate  all code that seam gen has written
# make peers   the part of it under bench/thrift, with that of other compilers: it is not committed
# make figures   the figures of the documents, measured here: on a machine that does nothing else, in a quarter of an hour
# make fuzz    every fuzz target for FUZZTIME (30s)
# make torture random programs over all packages at once, for MINUTES (10)
# make soak    1e9 leaf calls and 1e8 upcalls under stress on every Go version, 1e8 calls on arm64; 1e8 registered
#              buffers under cgocheck2; 1e10 messages through a ring and 10,000 peers killed; the long tests of weld; 10 minutes of torture on every Go version

SHELL := /bin/sh

STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
ASMFMT      := github.com/klauspost/asmfmt/cmd/asmfmt@v1.3.2

FUZZTIME ?= 30s
MINUTES  ?= 10

MODULES := . ./bench ./cmd/seam ./dl ./examples/dl-cuda ./examples/dl-sqlite ./examples/dl-zstd ./examples/thrift-cluster ./examples/thrift-orders ./examples/weld-h3 ./examples/weld-sqlite ./thrift

# For C that is compiled for its results, not for its speed: SQLite takes gcc 15 s
# this way, and 40 s the way Go would compile it.
QUICK_CC := CGO_CFLAGS='-O1 -g0'

need-go:
	@command -v go >/dev/null || { echo "need: install Go 1.25 or later: https://go.dev/dl/" >&2; exit 1; }
	@go version | grep -Eq 'go1\.(2[5-9]|[3-9][0-9])' || [ "$$(go env GOTOOLCHAIN)" != local ] || \
		{ echo "need: Go 1.25 or later, this is $$(go version)" >&2; exit 1; }

need-cc: need-go
	@scripts/need gcc:gcc,libc6-dev git:git

# What the tests need besides, to run other architectures under an emulator.
need-test: need-cc
	@scripts/need g++:g++ swig:swig clang:clang pkg-config:pkg-config cmake:cmake python3:python3 '/usr/include/python3*/Python.h:python3-dev' '/usr/lib/python3/dist-packages/setuptools:python3-setuptools' qemu-aarch64:qemu-user qemu-arm:qemu-user objdump:binutils spin:spin musl-gcc:musl-tools \
		aarch64-linux-gnu-g++:g++-aarch64-linux-gnu,libc6-dev-arm64-cross \
		arm-linux-gnueabihf-g++:g++-arm-linux-gnueabihf,libc6-dev-armhf-cross \
		x86_64-w64-mingw32-gcc:gcc-mingw-w64-x86-64

# The libraries and servers behind the build tag seam_servers: the examples hiredis,
# libpq, odbc and sqlite-function, and bench/cmd/iobench; etcd is for thrift-cluster.
need-servers: need-cc
	@scripts/need redis-server:redis-server '/usr/lib/postgresql/*/bin/initdb:postgresql' \
		/usr/include/hiredis/hiredis.h:libhiredis-dev /usr/include/postgresql/libpq-fe.h:libpq-dev \
		/usr/include/sql.h:unixodbc-dev '/usr/lib/*/odbc/psqlodbcw.so:odbc-postgresql' \
		/usr/include/sqlite3.h:libsqlite3-dev etcd:etcd-server nft:nftables ip:iproute2

# C and C++ libraries that the examples simdjson and zstd, and seam lab payload and ring, call.
need-libs: need-cc
	@scripts/need g++:g++ /usr/include/simdjson.h:libsimdjson-dev /usr/include/zstd.h:libzstd-dev zstd:zstd /usr/include/zlib.h:zlib1g-dev \
		/usr/include/rapidjson/reader.h:rapidjson-dev /usr/include/nlohmann/json.hpp:nlohmann-json3-dev \
		/usr/include/boost/lockfree/spsc_queue.hpp:libboost-dev

# Apache's Thrift in C++, Python and Java.
need-thrift: need-cc
	@scripts/need thrift:thrift-compiler g++:g++ flex:flex bison:bison /usr/include/thrift/Thrift.h:libthrift-dev \
		/usr/include/boost/version.hpp:libboost-dev /usr/include/openssl/ssl.h:libssl-dev \
		python3:python3,python3-venv mvn:maven javac:default-jdk-headless

# The code under bench/thrift that is generated and not committed, for which Apache's compiler is built.
peers: need-cc
	@scripts/need g++:g++ flex:flex bison:bison
	bench/thrift/generate

build: need-cc
	go build -o bin/seam ./cmd/seam

demo-cluster: need-cc
	@scripts/need g++:g++ etcd:etcd-server
	go run ./examples/thrift-cluster demo

demo: need-cc
	@scripts/demo

# ---- tests. internal/ci has the list of what runs how; go run ./internal/ci -h

# What a contributor runs: minutes.
check: need-cc format
	go run ./internal/ci check

# What this machine does by itself.
test: need-test need-servers need-libs
	SEAM_TEST_STRICT=1 go run ./internal/ci native

# Everything: what CI runs.
test-all: build need-test need-servers need-libs need-thrift peers
	SEAM_TEST_STRICT=1 go run ./internal/ci native-all arm64 race toolchains builds portable arm weld thrift cluster torture fuzz

# One stage: make test-race.
test-%: build need-test need-servers need-libs need-thrift peers
	SEAM_TEST_STRICT=1 go run ./internal/ci $*

format:
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); [ -z "$$unformatted" ] || { echo "gofmt -w needed: $$unformatted" >&2; exit 1; }
	@unformatted=$$(go run $(ASMFMT) -l $$(git ls-files '*.s')); [ -z "$$unformatted" ] || { echo "asmfmt -w needed: $$unformatted" >&2; exit 1; }

# ---- the rest

lint: format need-servers need-libs peers
	go vet ./... ./cmd/seam/... ./dl ./thrift/... ./examples/thrift-orders
	go vet -tags seam_servers ./examples/... ./bench/cmd/iobench
	go vet -tags seam_thrift_peers ./bench/thrift/conform
	go vet -tags seam_libs ./examples/simdjson ./examples/zstd
	$(QUICK_CC) go vet ./bench/... ./examples/dl-cuda/... ./examples/dl-sqlite/... ./examples/dl-zstd/... ./examples/thrift-cluster/... ./examples/weld-h3/... ./examples/weld-sqlite/...
	cd bench/weld/h3latest && GOWORK=off go vet .
	cd bench/weld/libs && GOWORK=off go vet ./lmdb ./sqlite ./threads
	cd examples/thrift-cluster/deploy/check && GOWORK=off go vet .
	for m in $(MODULES); do (cd $$m && go run $(STATICCHECK) -tags seam_servers,seam_libs ./...) || exit 1; done

# Regenerates all code written by seam gen, and what is compared with it.
generate: build need-thrift peers
	go generate ./thrift/... ./examples/thrift-orders ./examples/thrift-cluster ./examples/layout
	go test ./cmd/seam/internal/idl/gen -run Golden -update

# Automatic plans only; the files of docs/results say when, where and how.
figures: build need-servers peers
	bin/seam lab --terse --json bin/lab.json call callback switch spawn lifetime payload
	go run ./internal/figures -lab bin/lab.json -o docs/results/lab.tsv
	go run ./bench/cmd/weldbench -results docs/results/weld.tsv
	go run ./bench/cmd/weldbench -results docs/results/weld-latest.tsv sqlite@v1.14.53
	go run -tags seam_servers ./bench/cmd/iobench -blpop 10000 -modes cgo,executor,floating -results docs/results/blocked.tsv
	go run ./bench/cmd/thriftbench -parts codec -heap 0 -together -bench msg=order -results docs/results/thrift.tsv
	go run ./bench/cmd/heapbench -results docs/results/heap.tsv
	scripts/tryh3 > bin/try.txt && mv bin/try.txt docs/results/try.txt
	go run ./internal/figures

bench: build need-servers peers
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
	go run ./internal/ci fuzz-long

torture: need-cc
	SEAM_TORTURE=$(MINUTES) go test -count=1 -v -timeout=0 -run '^TestTorture$$' ./internal/torture

soak: need-test
	go run ./internal/ci -j 1 soak

clean:
	rm -rf bin bench.txt bench-weld.txt bench-thrift.txt bench-io.txt seam-report.html

.PHONY: figures need-go need-cc need-test need-servers need-libs need-thrift peers build demo demo-cluster check test test-all format lint generate bench fuzz torture soak clean
