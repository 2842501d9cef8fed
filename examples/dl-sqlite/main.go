// dl-sqlite uses SQLite through database/sql without cgo: the driver is package dlsqlite, over a
// package that seam bind has written from sqlite3.h and sqlite/bind.seam. Build it with
// CGO_ENABLED=0, for any machine that Go knows; it loads the system's libsqlite3.so.0.
package main

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/seamgo/seam/examples/dl-sqlite/dlsqlite"
)

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "dl-sqlite:", err)
		os.Exit(1)
	}
}

func run(out io.Writer) error {
	db, err := sql.Open("dl-sqlite", ":memory:")
	if err != nil {
		return err
	}
	defer db.Close()
	ctx := context.Background()
	c, err := db.Conn(ctx) // a database in memory belongs to its connection
	if err != nil {
		return err
	}
	defer c.Close()
	err = c.Raw(func(driverConn any) error {
		return dlsqlite.RegisterFunc(driverConn, "shout", 1, func(args []driver.Value) (driver.Value, error) {
			return strings.ToUpper(fmt.Sprint(args[0])) + "!", nil
		})
	})
	if err != nil {
		return err
	}
	if _, err := c.ExecContext(ctx, "create table words(word text, n integer); insert into words values ('seam', ?), ('dl', ?)", 1, 2); err != nil {
		return err
	}
	rows, err := c.QueryContext(ctx, "select shout(word), n from words order by n")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var word string
		var n int
		if err := rows.Scan(&word, &n); err != nil {
			return err
		}
		fmt.Fprintln(out, word, n)
	}
	return rows.Err()
}
