package gotool

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// WithGcflags is like With and passes one more argument to the compiler for each package in
// add, after those that the user passes. goflags is the value of GOFLAGS; list expands
// package patterns in the command's folder.
func (c *Command) WithGcflags(goflags string, add map[string]string, list func(patterns []string) ([]string, error), flags ...string) ([]string, error) {
	given := c.Values("gcflags")
	var all []string
	fromEnv, err := SplitQuoted(goflags)
	if err != nil {
		return nil, fmt.Errorf("GOFLAGS: %w", err)
	}
	for _, f := range fromEnv {
		if name, value, _ := splitFlag(f); name == "gcflags" {
			all = append(all, value)
		}
	}
	all = append(all, given...)
	rest := c.Without("gcflags").args
	// The last -gcflags that matches a package counts: ours come last, and repeat what
	// the user's would have been.
	for _, value := range given {
		flags = append(flags, "-gcflags="+value)
	}
	matches, err := c.relative(all, list)
	if err != nil {
		return nil, err
	}
	for _, p := range slices.Sorted(maps.Keys(add)) {
		users, err := gcflagsFor(p, all, matches)
		if err != nil {
			return nil, err
		}
		flags = append(flags, "-gcflags="+p+"="+strings.TrimSpace(users+" "+add[p]))
	}
	return c.compose(rest, flags), nil
}

// relative expands the patterns among the values of -gcflags that depend on the folder.
// Under "" are the packages that the command names.
func (c *Command) relative(values []string, list func(patterns []string) ([]string, error)) (map[string][]string, error) {
	found := map[string][]string{}
	for _, v := range values {
		v = strings.TrimSpace(v)
		pattern, _, _ := strings.Cut(v, "=")
		pattern = strings.TrimSpace(pattern)
		ask := []string{pattern}
		switch {
		case v == "" || v[0] == '-':
			pattern, ask = "", c.Packages()
		case v[0] != '.':
			continue
		}
		if _, ok := found[pattern]; ok {
			continue
		}
		var err error
		if found[pattern], err = list(ask); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// gcflagsFor returns which of the values of -gcflags applies to a package, by the rules of
// "go help build".
func gcflagsFor(path string, values []string, relative map[string][]string) (string, error) {
	users := ""
	for _, v := range values {
		v = strings.TrimSpace(v)
		pattern, flags := "", v
		if v != "" && !strings.HasPrefix(v, "-") {
			var ok bool
			if pattern, flags, ok = strings.Cut(v, "="); !ok {
				return "", fmt.Errorf("-gcflags=%s: want PACKAGES=FLAGS or FLAGS", v)
			}
			pattern = strings.TrimSpace(pattern)
		}
		matches := false
		switch {
		case pattern == "all":
			matches = true
		case pattern == "", strings.HasPrefix(pattern, "."):
			matches = slices.Contains(relative[pattern], path)
		case strings.Contains(pattern, "..."):
			matches = matchPattern(pattern, path)
		default:
			matches = pattern == path
		}
		if matches {
			users = flags
		}
	}
	return users, nil
}

// matchPattern matches a pattern with "..." as the go command does: "a/..."
// is "a" too.
func matchPattern(pattern, path string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "/..."); ok && !strings.Contains(prefix, "...") {
		return path == prefix || strings.HasPrefix(path, prefix+"/")
	}
	parts := strings.Split(pattern, "...")
	if !strings.HasPrefix(path, parts[0]) {
		return false
	}
	path = path[len(parts[0]):]
	for i, part := range parts[1:] {
		if i == len(parts)-2 {
			return strings.HasSuffix(path, part)
		}
		at := strings.Index(path, part)
		if at < 0 {
			return false
		}
		path = path[at+len(part):]
	}
	return path == ""
}
