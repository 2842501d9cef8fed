//go:build cgo && seam_servers

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
)

// match is SQL's REGEXP operator, which SQLite has no function for:
// "text REGEXP pattern" calls regexp(pattern, text).
func match(_ context.Context, args []any) (any, error) {
	if len(args) != 2 {
		return nil, errors.New("regexp wants a pattern and a text")
	}
	pattern, isText := args[0].(string)
	text, ok := args[1].(string)
	if !isText || !ok {
		return nil, nil // NULL is like nothing
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	if re.MatchString(text) {
		return int64(1), nil
	}
	return int64(0), nil
}

func run(ctx context.Context) error {
	db, err := Open()
	if err != nil {
		return err
	}
	defer db.Close()
	if err := db.Define("regexp", match); err != nil {
		return err
	}
	rows, err := db.Query(ctx, `
		create table people (name text, town text);
		insert into people values ('anna', 'berlin'), ('bob', 'bern'), ('cleo', 'paris'), ('dan', null);
		select name, town from people where town regexp '^ber' order by name`)
	for _, r := range rows {
		fmt.Println(r...)
	}
	return err
}

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "sqlite-function:", err)
		os.Exit(1)
	}
}
