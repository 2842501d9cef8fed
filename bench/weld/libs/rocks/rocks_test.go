//go:build cgo && seam_libs

// Package rocks measures github.com/linxGnu/grocksdb with the system's RocksDB.
package rocks

import (
	"fmt"
	"testing"

	"github.com/linxGnu/grocksdb"
)

const rows = 1000

func open(b *testing.B) *grocksdb.DB {
	o := grocksdb.NewDefaultOptions()
	o.SetCreateIfMissing(true)
	db, err := grocksdb.OpenDb(o, b.TempDir())
	check(b, err)
	b.Cleanup(func() { db.Close(); o.Destroy() })
	w := grocksdb.NewDefaultWriteOptions()
	defer w.Destroy()
	for i := range rows {
		check(b, db.Put(w, key(i), fmt.Appendf(nil, "value of %d", i)))
	}
	return db
}

func key(i int) []byte { return fmt.Appendf(nil, "key-%06d", i) }

func check(b *testing.B, err error) {
	if err != nil {
		b.Helper()
		b.Fatal(err)
	}
}

func BenchmarkGet(b *testing.B) {
	db := open(b)
	o := grocksdb.NewDefaultReadOptions()
	defer o.Destroy()
	var keys [64][]byte
	for i := range keys {
		keys[i] = key(i * 389 % rows)
	}
	b.ResetTimer()
	for i := range b.N {
		v, err := db.Get(o, keys[i%len(keys)])
		check(b, err)
		if !v.Exists() {
			b.Fatal("no value")
		}
		v.Free()
	}
}

func BenchmarkPut(b *testing.B) {
	db := open(b)
	o := grocksdb.NewDefaultWriteOptions()
	defer o.Destroy()
	o.DisableWAL(true)
	var keys [64][]byte
	for i := range keys {
		keys[i] = key(i * 389 % rows)
	}
	value := []byte("a value of some length")
	b.ResetTimer()
	for i := range b.N {
		check(b, db.Put(o, keys[i%len(keys)], value))
	}
}

func BenchmarkIterate(b *testing.B) {
	db := open(b)
	o := grocksdb.NewDefaultReadOptions()
	defer o.Destroy()
	b.ResetTimer()
	for range b.N {
		it := db.NewIterator(o)
		n, bytes := 0, 0
		for it.SeekToFirst(); it.Valid(); it.Next() {
			k, v := it.Key(), it.Value()
			bytes += len(k.Data()) + len(v.Data())
			k.Free()
			v.Free()
			n++
		}
		it.Close()
		if n != rows {
			b.Fatalf("%d rows", n)
		}
	}
}
