package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/seamgo/seam/cmd/seam/internal/weld/record"
)

// A processRecord is what one process recorded about itself.
type processRecord[T any] struct {
	name    string
	raw     T
	running bool // the process is still there
}

// recordFolder is where programs record that nobody told anything: what the
// variable says, else below the user's cache. The C side finds it by the same
// rule.
func recordFolder(variable, name string) (string, error) {
	if dir := os.Getenv(variable); dir != "" {
		return dir, nil
	}
	if dir := os.Getenv("XDG_CACHE_HOME"); dir != "" {
		return filepath.Join(dir, "seam", name), nil
	}
	if dir := os.Getenv("HOME"); dir != "" {
		return filepath.Join(dir, ".cache", "seam", name), nil
	}
	return "", fmt.Errorf("neither %s nor HOME is set: name the folder that the program recorded in", variable)
}

// readRecords reads the records in folders, or such files, by start. What is not
// one is told, and left. None is "no traced program".
func readRecords[T interface{ Of() record.Process }](stderr io.Writer, none string, places []string, read func(name string) (T, error)) ([]processRecord[T], error) {
	var list []processRecord[T]
	for _, place := range places {
		info, err := os.Stat(place)
		switch {
		case errors.Is(err, fs.ErrNotExist) && len(places) == 1:
			return nil, fmt.Errorf("%s: no such folder: %s has recorded there", place, none)
		case err != nil:
			return nil, err
		}
		names := []string{place}
		if info.IsDir() {
			entries, err := os.ReadDir(place)
			if err != nil {
				return nil, err
			}
			names = nil
			for _, e := range entries {
				if filepath.Ext(e.Name()) == ".raw" {
					names = append(names, filepath.Join(place, e.Name()))
				}
			}
		}
		for _, name := range names {
			raw, err := read(name)
			if err != nil {
				if !info.IsDir() {
					return nil, err
				}
				fmt.Fprintf(stderr, "seam: left out: %v\n", err)
				continue
			}
			list = append(list, processRecord[T]{name, raw, raw.Of().Running()})
		}
	}
	slices.SortStableFunc(list, func(a, b processRecord[T]) int { return a.raw.Of().Start.Compare(b.raw.Of().Start) })
	return list, nil
}

// values are the records by themselves.
func values[T any](list []processRecord[T]) []T {
	raws := make([]T, len(list))
	for i, r := range list {
		raws[i] = r.raw
	}
	return raws
}

// removeRecords removes the records that were collected. A process that still
// runs goes on recording.
func removeRecords[T any](list []processRecord[T]) error {
	var errs error
	for _, r := range list {
		if !r.running {
			errs = errors.Join(errs, os.Remove(r.name))
		}
	}
	return errs
}
