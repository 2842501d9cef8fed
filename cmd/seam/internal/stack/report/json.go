package report

import (
	"errors"
	"io"

	"github.com/seamgo/seam/cmd/seam/internal/jsonfile"
)

var kind = jsonfile.Kind{
	Schema: "seam.stack-trace/1", Number: "version",
	Name: "a report of seam stack trace", Make: "seam stack trace --json FILE -- go test", Has: []string{"processes", "growth"},
	Bytes: 128 << 20, Objects: 1_000_000, // a report with everything full has some 60 MB
	Other: func(data []byte) error {
		if data[0] == '@' {
			return errors.New("this is a program's log and not a report; make a report from it with: seam stack trace --read LOG PROGRAM")
		}
		return nil
	},
}

// Encode writes the report as indented JSON.
func (f *File) Encode(w io.Writer) error { return kind.Encode(w, f) }

// Read reads the report in a file.
func Read(name string) (*File, error) { return jsonfile.Read[File](&kind, name) }
