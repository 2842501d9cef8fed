//go:build cgo

// Package calm measures modules with nothing to gain: their calls are few and long.
package calm

import (
	"database/sql"
	"testing"

	"github.com/ethereum/go-ethereum/crypto/secp256k1"
	_ "github.com/marcboeker/go-duckdb"
)

func check(b *testing.B, err error) {
	if err != nil {
		b.Helper()
		b.Fatal(err)
	}
}

func BenchmarkDuckDB(b *testing.B) {
	db, err := sql.Open("duckdb", "")
	check(b, err)
	defer db.Close()
	db.SetMaxOpenConns(1)
	_, err = db.Exec(`SET threads = 1`)
	check(b, err)
	_, err = db.Exec(`CREATE TABLE t AS SELECT range AS x, range % 97 AS y FROM range(100000)`)
	check(b, err)
	s, err := db.Prepare(`SELECT count(*) FROM (SELECT y, sum(x) FROM t GROUP BY y)`)
	check(b, err)
	defer s.Close()
	b.ResetTimer()
	for range b.N {
		var n int64
		if err := s.QueryRow().Scan(&n); err != nil || n != 97 {
			b.Fatal(n, err)
		}
	}
}

func BenchmarkSecp256k1(b *testing.B) {
	secret := make([]byte, 32)
	for i := range secret {
		secret[i] = byte(i + 1)
	}
	message := make([]byte, 32)
	message[0] = 7
	b.ResetTimer()
	for range b.N {
		sig, err := secp256k1.Sign(message, secret)
		check(b, err)
		_, err = secp256k1.RecoverPubkey(message, sig)
		check(b, err)
	}
}
