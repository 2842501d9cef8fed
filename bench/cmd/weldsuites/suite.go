package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seamgo/seam/bench/internal/seam"
)

// A suite is the tests of a module.
type suite struct {
	name     string
	module   string
	version  string // "": that in bench/go.mod
	tags     string
	packages string
	traced   int    // how often the tests run while they are traced
	bench    string // the benchmarks that are traced with them
	skip     string // tests that crash now and then as they are

	// C is quick in all but this: a plan without a leaf is fine.
	maybeNone bool

	// library is what it needs of the system; it is run by name only.
	library string
}

// suites are those of the modules that bench/weld measures, quickest first, and others'.
var suites = []suite{
	// All benchmarks but BenchmarkPolyfill, which takes minutes.
	{name: "h3", module: "github.com/uber/h3-go/v4", packages: ".", traced: 50, bench: "String|Geo|Hex"},
	// The tags of the module's own CI, but for ICU and the user accounts, which
	// need a library, and the trace of the operating system, which prints.
	{name: "sqlite", module: "github.com/mattn/go-sqlite3", packages: ".", traced: 1, bench: ".",
		tags: "sqlite_allow_uri_authority,sqlite_app_armor,sqlite_column_metadata,sqlite_foreign_keys," +
			"sqlite_fts5,sqlite_introspect,sqlite_math_functions,sqlite_preupdate_hook,sqlite_secure_delete," +
			"sqlite_stat4,sqlite_trace,sqlite_unlock_notify,sqlite_vacuum_incr,sqlite_vtable"},
	// A version of its own: bench measures nothing of it.
	{name: "lmdb", module: "github.com/PowerDNS/lmdb-go", version: "v1.9.3", packages: "./lmdb", traced: 3, bench: ".",
		skip: "^TestTxn_finalizer$"}, // it ends a write transaction on another thread
	{name: "zstd", module: "github.com/DataDog/zstd", packages: ".", traced: 20, bench: "^$", maybeNone: true}, // the benchmarks want a file in $PAYLOAD
	{name: "sitter", module: "github.com/smacker/go-tree-sitter", packages: "./...", traced: 5, bench: "."},
	{name: "git", module: "github.com/libgit2/git2go/v34", version: "v34.0.0", packages: ".", traced: 3, bench: ".", library: "libgit2-dev"},
	// Those that need no cluster of brokers, on librdkafka's own mock cluster.
	{name: "kafka", module: "github.com/confluentinc/confluent-kafka-go/v2", version: "v2.11.1", packages: "./kafka", traced: 2, bench: "^$", library: "200 MB of the module cache"},
	// Debian's RocksDB ends the program where manual compactions are enabled that weren't
	// disabled, which half of the tests do to open a database.
	{name: "rocks", module: "github.com/linxGnu/grocksdb", version: "v1.7.15", packages: ".", traced: 1, bench: ".", library: "librocksdb-dev",
		skip: "^Test(BackupEngine|CFMetadata|Checkpoint|CompactionFilter|ExternalFile(WithTS)?|OpenDb(Unix)?|DBCRUD(WithTS)?|DBMultiGet(WithTS)?|" +
			"LoadLatestOpts|DBGetApproximateSizes(CF)?|Iterator(WriteManyThenIter|WithTS|WriteManyThenIterWithTS|RangeWithTS)?|MemoryUsage|" +
			"(Partial)?MergeOperator|MergeMultiOperator|SliceTransform|FixedPrefixTransformOpen|NewNoopPrefixTransform|WriteBatch(WI)?(Iterator)?)$"},
}

// choose returns the suites of the given names, or all that need no library. A module that has no
// name here is MODULE@VERSION, or MODULE//FOLDER@VERSION for the packages of one folder.
func choose(names []string) ([]suite, error) {
	if len(names) == 0 {
		return slices.DeleteFunc(slices.Clone(suites), func(s suite) bool { return s.library != "" }), nil
	}
	var chosen []suite
	for _, asked := range names {
		name, version, at := strings.Cut(asked, "@")
		if at && version == "" {
			return nil, fmt.Errorf("module %s: no version after the @ (want one like %s@latest)", asked, name)
		}
		var known []string
		for _, s := range suites {
			if known = append(known, s.name); s.name == name {
				s.version = cmp.Or(version, s.version)
				chosen = append(chosen, s)
			}
		}
		if first, _, _ := strings.Cut(name, "/"); first != name && strings.Contains(first, ".") {
			module, packages, _ := strings.Cut(name, "//")
			if !at {
				return nil, fmt.Errorf("module %s: no version (want one like %s@v1.2.3)", asked, name)
			}
			chosen = append(chosen, suite{name: strings.ReplaceAll(module, "/", "_"), module: module, version: version,
				packages: "./" + cmp.Or(packages, "..."), traced: 1, bench: "^$", maybeNone: true})
			continue
		}
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("no module %s: want %s, or a module's path and version", name, strings.Join(known, ", "))
		}
	}
	return chosen, nil
}

// project is a writable copy of the suite's module.
func (r *runner) project(ctx context.Context, s suite) (seam.Project, error) {
	here := seam.Project{}
	if r.verbose {
		here.Log = r.stderr
	}
	var found struct{ Version, Dir string }
	if s.version == "" {
		out, err := here.Run(ctx, here.Go("list", "-m", "-f", "{{.Version}}", s.module))
		if err != nil {
			return here, fmt.Errorf("%w\n\t(run weldsuites inside the repository of Seam)", err)
		}
		s.version = strings.TrimSpace(string(out))
	}
	out, err := here.Run(ctx, here.Go("mod", "download", "-json", s.module+"@"+s.version))
	if err != nil {
		return here, err
	}
	if err := json.Unmarshal(out, &found); err != nil {
		return here, fmt.Errorf("go mod download %s: %w", s.module, err)
	}
	p := seam.Project{
		Seam: r.seam,
		Dir:  filepath.Join(r.work, s.name+"@"+found.Version),
		Env:  []string{"GOWORK=off"},
		Log:  here.Log,
	}
	if s.tags != "" {
		p.Env = append(p.Env, "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -tags="+s.tags))
	}
	if r.cflags != "" {
		p.Env = append(p.Env, "CGO_CFLAGS="+r.cflags)
	}
	if err := copyOnce(p.Dir, found.Dir); err != nil {
		return p, err
	}
	return p, needsMod(ctx, p, s.module)
}

// needsMod makes a go.mod for a module from before there were any.
func needsMod(ctx context.Context, p seam.Project, path string) error {
	if _, err := os.Stat(filepath.Join(p.Dir, "go.mod")); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, err := p.Run(ctx, p.Go("mod", "init", path)); err != nil {
		return err
	}
	_, err := p.Run(ctx, p.Go("mod", "tidy"))
	return err
}

// copyOnce makes dir a copy of from, all of it or nothing. The go command's cache
// knows a package by its folder, so a copy that is there is taken again. The
// module cache itself is read-only, and tests may write beside their source.
func copyOnce(dir, from string) error {
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	half := dir + ".half"
	if err := os.RemoveAll(half); err != nil {
		return err
	}
	if err := os.CopyFS(half, os.DirFS(from)); err != nil {
		return err
	}
	return os.Rename(half, dir)
}
