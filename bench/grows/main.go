//go:build cgo

// Grows holds more and more memory, or seems to, by other people's modules: SQLite fills its page cache, LMDB
// maps its file. It goes on by a step for each line that it reads, and answers with a line, as the program
// beside the tests of seam rss does, which run it.
package main

import (
	"bufio"
	"fmt"
	"os"

	"github.com/PowerDNS/lmdb-go/lmdb"
	"github.com/mattn/go-sqlite3"
)

const rows = 64 // a step, of about 4 KB each

func main() {
	step := map[string]func(path string) func(n int){"sqlite": pageCache, "lmdb": mapped}[os.Args[1]](os.Args[2])
	in := bufio.NewScanner(os.Stdin)
	for n := 0; in.Scan(); n++ {
		step(n)
		fmt.Println()
	}
}

// pageCache is a database whose cache has room for 6 MB. Of what is written it holds the newest, once it is full.
func pageCache(path string) func(n int) {
	c, err := (&sqlite3.SQLiteDriver{}).Open("file:" + path + "?_journal_mode=OFF&_sync=OFF&_cache_size=-6000")
	check(err)
	db := c.(*sqlite3.SQLiteConn)
	exec := func(q string) { _, err := db.Exec(q, nil); check(err) }
	exec("CREATE TABLE t (text BLOB)")
	return func(int) {
		exec(fmt.Sprintf("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < %d) INSERT INTO t SELECT randomblob(4000) FROM n", rows))
	}
}

// mapped is a store that is read whole after each step, by way of its map.
func mapped(path string) func(n int) {
	env, err := lmdb.NewEnv()
	check(err)
	check(env.SetMapSize(1 << 30))
	check(env.Open(path, lmdb.NoSync|lmdb.NoSubdir, 0o600))
	var store lmdb.DBI
	check(env.Update(func(t *lmdb.Txn) (err error) { store, err = t.OpenRoot(0); return err }))
	value := make([]byte, 4000)
	return func(n int) {
		check(env.Update(func(t *lmdb.Txn) error {
			for i := range rows {
				if err := t.Put(store, fmt.Appendf(nil, "%09d", n*rows+i), value, 0); err != nil {
					return err
				}
			}
			return nil
		}))
		check(env.View(func(t *lmdb.Txn) error {
			for i := range rows {
				if _, err := t.Get(store, fmt.Appendf(nil, "%09d", n*rows+i)); err != nil {
					return err
				}
			}
			return nil
		}))
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
