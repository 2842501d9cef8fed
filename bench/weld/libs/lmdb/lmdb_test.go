//go:build cgo

// Package lmdb measures github.com/PowerDNS/lmdb-go: a cursor over all rows, and rows by key.
package lmdb

import (
	"fmt"
	"testing"

	"github.com/PowerDNS/lmdb-go/lmdb"
)

const rows = 1000

func open(b *testing.B) (*lmdb.Env, lmdb.DBI) {
	env, err := lmdb.NewEnv()
	check(b, err)
	b.Cleanup(func() { env.Close() })
	check(b, env.SetMapSize(64<<20))
	check(b, env.Open(b.TempDir(), lmdb.NoSync, 0o600))
	var db lmdb.DBI
	check(b, env.Update(func(t *lmdb.Txn) (err error) {
		if db, err = t.OpenRoot(0); err != nil {
			return err
		}
		for i := range rows {
			if err := t.Put(db, key(i), fmt.Appendf(nil, "value of %d", i), 0); err != nil {
				return err
			}
		}
		return nil
	}))
	return env, db
}

func key(i int) []byte { return fmt.Appendf(nil, "key-%06d", i) }

func check(b *testing.B, err error) {
	if err != nil {
		b.Helper()
		b.Fatal(err)
	}
}

func BenchmarkScan(b *testing.B) {
	env, db := open(b)
	b.ResetTimer()
	for range b.N {
		check(b, env.View(func(t *lmdb.Txn) error {
			t.RawRead = true
			c, err := t.OpenCursor(db)
			if err != nil {
				return err
			}
			defer c.Close()
			n := 0
			for {
				_, _, err := c.Get(nil, nil, lmdb.Next)
				if lmdb.IsNotFound(err) {
					break
				}
				if err != nil {
					return err
				}
				n++
			}
			if n != rows {
				return fmt.Errorf("%d rows", n)
			}
			return nil
		}))
	}
}

func BenchmarkGet(b *testing.B) {
	env, db := open(b)
	var keys [100][]byte
	for i := range keys {
		keys[i] = key(i * 389 % rows)
	}
	b.ResetTimer()
	for range b.N {
		check(b, env.View(func(t *lmdb.Txn) error {
			t.RawRead = true
			for _, k := range keys {
				if _, err := t.Get(db, k); err != nil {
					return err
				}
			}
			return nil
		}))
	}
}
