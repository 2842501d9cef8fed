// Package wordlines reads files of lines that are words, with comments behind a #, and collects the mistakes in them.
package wordlines

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seamgo/seam/cmd/seam/internal/nearest"
)

// A Format is a kind of such files. Their first line may name it and the version: # seam.plan 1.
type Format struct {
	Name    string // "seam.plan"
	Version int
	Again   string // what to do about another version, behind the message about it; may be empty
	Most    int    // bytes of a file
	What    string // what a larger file is said to be: "not a plan"
}

// MaxErrors are told of a file.
const MaxErrors = 10

// A Word is a part of a line and where it begins.
type Word struct {
	Text   string
	Column int
}

// A Reader reads one file.
type Reader struct {
	Name string // of the file, for messages
	Line int    // the number of the line at hand
	Errs []error
}

// Fail notes a mistake in the line at hand. The columns of messages count bytes from 1.
func (r *Reader) Fail(column int, format string, args ...any) {
	r.Errs = append(r.Errs, fmt.Errorf("%s:%d:%d: %s", r.Name, r.Line, column+1, fmt.Sprintf(format, args...)))
}

// Load reads a file for Read. Of one that is too large for the format it reads enough to tell.
func (f Format) Load(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, int64(f.Most)+1))
}

var (
	commentMark = regexp.MustCompile(`(?:^|[ \t])#`)
	wordShape   = regexp.MustCompile(`[^ \t]+`)
)

// Read calls line for each line that has words, with the line as it is before its comment, until there are too many
// mistakes, which are in r then.
func (f Format) Read(r *Reader, src []byte, line func(text string, words []Word, comment string)) {
	if len(src) > f.Most {
		r.Errs = append(r.Errs, fmt.Errorf("%s: larger than %d MB: this is %s", r.Name, f.Most>>20, f.What))
		return
	}
	for text := range bytes.Lines(bytes.TrimPrefix(src, []byte("\ufeff"))) { // some editors begin UTF-8 with a mark
		r.Line++
		f.line(r, string(bytes.TrimRight(text, "\r\n")), line)
		if len(r.Errs) > MaxErrors {
			r.Errs = append(r.Errs[:MaxErrors], fmt.Errorf("%s: too many mistakes: the rest are not listed", r.Name))
			return
		}
	}
}

func (f Format) line(r *Reader, text string, line func(text string, words []Word, comment string)) {
	if head := "# " + f.Name + " "; r.Line == 1 && strings.HasPrefix(text, head) {
		if version := wordShape.FindString(text[len(head):]); version != "" && version != strconv.Itoa(f.Version) {
			r.Fail(len(head), "version %.20q of the format; this seam knows version %d%s", version, f.Version, f.Again)
			return
		}
	}
	for i, c := range text {
		if c == utf8.RuneError || unicode.IsControl(c) && c != '\t' {
			r.Fail(i, "a character that isn't text (%U)", c)
			return
		}
	}
	comment := ""
	if at := commentMark.FindStringIndex(text); at != nil {
		text, comment = text[:at[1]-1], strings.TrimSpace(text[at[1]:])
	}
	if words := Split(text); len(words) > 0 {
		line(text, words, comment)
	}
}

// Split is the words of a text.
func Split(text string) []Word {
	var words []Word
	for _, at := range wordShape.FindAllStringIndex(text, -1) {
		words = append(words, Word{text[at[0]:at[1]], at[0]})
	}
	return words
}

// Meant is "; did you mean leaf?" where one of the names is near enough.
func Meant(text string, names []string) string {
	if len(text) > 40 {
		return ""
	}
	if near := nearest.Names(text, names); len(near) > 0 {
		return "; did you mean " + near[0] + "?"
	}
	return ""
}

// Err is all mistakes, nil if there is none.
func (r *Reader) Err() error { return errors.Join(r.Errs...) }
