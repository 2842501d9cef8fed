//go:build cgo && seam_libs

// Command odbc asks a PostgreSQL through github.com/alexbrainman/odbc, unixODBC and psqlodbc:
// many goroutines at once for something that takes a second, or one for something short.
//
//	odbc -dsn 'DRIVER={PostgreSQL Unicode};SERVER=127.0.0.1;PORT=5432;DATABASE=postgres;UID=postgres'
//	odbc -dsn … -n 1 -queries 20000
package main

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"log"
	"sync"
	"time"

	_ "github.com/alexbrainman/odbc"

	"github.com/seamgo/seam/bench/weld/libs/threads"
)

func main() {
	dsn := flag.String("dsn", "", "the data source")
	n := flag.Int("n", 500, "connections, with a goroutine each")
	rounds := flag.Int("rounds", 3, "rounds in which all sleep for a second")
	queries := flag.Int("queries", 0, "instead: so many queries by key, one after the other, on one connection")
	flag.Parse()
	db, err := sql.Open("odbc", *dsn)
	check(err)
	db.SetMaxIdleConns(*n)
	ctx := context.Background()
	if *queries > 0 {
		c, err := db.Conn(ctx)
		check(err)
		_, err = c.ExecContext(ctx, `CREATE TEMPORARY TABLE t AS SELECT i AS id, 'name ' || i AS name FROM generate_series(1, 1000) AS i`)
		check(err)
		_, err = c.ExecContext(ctx, `CREATE UNIQUE INDEX ti ON t (id)`)
		check(err)
		s, err := c.PrepareContext(ctx, `SELECT name FROM t WHERE id = ?`)
		check(err)
		start := time.Now()
		for i := range *queries {
			var name string
			id := i*389%1000 + 1
			check(s.QueryRow(id).Scan(&name))
			if name != fmt.Sprint("name ", id) {
				log.Fatalf("row %d is %q", id, name)
			}
		}
		fmt.Printf("%.2f us a query\n", float64(time.Since(start).Nanoseconds())/1000/float64(*queries))
		return
	}
	conns := make([]*sql.Conn, *n)
	for i := range conns {
		conns[i], err = db.Conn(ctx)
		check(err)
	}
	for range *rounds {
		start := time.Now()
		most := threads.Most(func() {
			var wg sync.WaitGroup
			for _, c := range conns {
				wg.Go(func() {
					var s string
					if err := c.QueryRowContext(ctx, `SELECT 'x' || pg_sleep(1)::text`).Scan(&s); err != nil || s != "x" {
						log.Fatalf("%q, %v", s, err)
					}
				})
			}
			wg.Wait()
		})
		fmt.Printf("%.2f s, %d threads\n", time.Since(start).Seconds(), most)
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
