package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// holds reports whether a file has a time for that row.
func holds(path, format, row string) (bool, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return false, err
	}
	_, n, err := slowed(data, format, row, 1)
	return n > 0, err
}

// slowDown copies a file, with the times of a row multiplied.
func slowDown(from, to, format, row string, by float64) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	data, n, err := slowed(data, format, row, by)
	if err != nil {
		return err
	}
	if n == 0 {
		return fmt.Errorf("%s has no row %s in ns/op", from, row)
	}
	return os.WriteFile(to, data, 0o666)
}

// slowed also tells how many values it changed.
func slowed(data []byte, format, row string, by float64) ([]byte, int, error) {
	if format == "json" {
		return slowedJSON(data, row, by)
	}
	n := 0
	lines := strings.SplitAfter(string(data), "\n")
	for i, line := range lines {
		f := strings.Fields(line)
		if len(f) != 4 || f[0] != "Benchmark"+row || f[3] != "ns/op" {
			continue
		}
		v, err := strconv.ParseFloat(f[2], 64)
		if err != nil {
			return nil, 0, err
		}
		lines[i] = fmt.Sprintf("%s %s %v %s\n", f[0], f[1], v*by, f[3])
		n++
	}
	return []byte(strings.Join(lines, "")), n, nil
}

func slowedJSON(data []byte, row string, by float64) ([]byte, int, error) {
	var run map[string]any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber() // a seed has 64 bits
	if err := d.Decode(&run); err != nil {
		return nil, 0, err
	}
	n := 0
	slow := func(of map[string]any, field string) {
		if v, ok := of[field].(json.Number); ok {
			f, _ := v.Float64() // it was read as a number
			of[field] = f * by
			n++
		}
	}
	experiments, _ := run["experiments"].([]any)
	for _, e := range experiments {
		all, _ := e.(map[string]any)["series"].([]any)
		for _, s := range all {
			s := s.(map[string]any)
			if s["name"] != row || s["unit"] != "ns/op" || s["not_measured"] != nil {
				continue
			}
			for _, field := range []string{"median", "lo", "hi"} {
				slow(s, field)
			}
			samples, _ := s["samples"].([]any)
			for _, x := range samples {
				slow(x.(map[string]any), "value")
			}
		}
	}
	out, err := json.Marshal(run)
	return out, n, err
}
