module github.com/seamgo/seam/examples/weld-sqlite

go 1.25.0

require github.com/mattn/go-sqlite3 v1.14.39
