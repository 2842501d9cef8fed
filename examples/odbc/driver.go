//go:build cgo && linux && seam_servers

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/seamgo/seam/examples/internal/servers"
)

// configure writes an odbcinst.ini of our own to a folder and makes unixODBC read
// that one, and no odbc.ini at all. It must be called before the first connection.
func configure(dir string, threading int) error {
	driver, err := driverPath()
	if err != nil {
		return err
	}
	ini := fmt.Sprintf("[seam]\nDriver=%s\nThreading=%d\n\n[ODBC]\nPooling=No\nTrace=No\n", driver, threading)
	if err := os.WriteFile(filepath.Join(dir, "odbcinst.ini"), []byte(ini), 0o666); err != nil {
		return err
	}
	return errors.Join(
		os.Setenv("ODBCSYSINI", dir),
		os.Setenv("ODBCINSTINI", "odbcinst.ini"),
		os.Setenv("ODBCINI", filepath.Join(dir, "odbc.ini")))
}

// driverPath finds PostgreSQL's Unicode driver where Debian keeps it.
func driverPath() (string, error) {
	found, _ := filepath.Glob("/usr/lib/*/odbc/psqlodbcw.so")
	if len(found) == 0 {
		return "", errors.New("no /usr/lib/*/odbc/psqlodbcw.so (Debian: apt-get install odbc-postgresql)")
	}
	return found[0], nil
}

// connection is the connection string for a server of ours. It names the driver by
// its section of odbcinst.ini: by the path of its file, unixODBC would not find the
// settings there.
func connection(s *servers.Server) string {
	return fmt.Sprintf("Driver=seam;Server=%s;Port=%d;Database=postgres;Uid=postgres;SSLmode=disable;pqopt={gssencmode=disable}", s.Host, s.Port)
}
