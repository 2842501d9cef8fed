//go:build linux && (amd64 || arm64) && cgo && !race

package weldtest

import "testing"

// cgo's check of arguments is left out where a call is welded, and stays everywhere else: in
// functions that are cgo, and with the race detector. Programs that keep cgo's rules do the same.
func TestChecksOfArguments(t *testing.T) {
	t.Parallel()
	const fine, stopped = "7 10 9\n10 numerical result out of range\n", "has Go pointer to unpinned Go"
	m := load(t, "checks")
	m.plain("build", "-o", "../plain", ".").ok()
	m.weld("build", "-o", "../welded", ".").ok().says("welded 4 of 4")
	m.weld("build", "-gcflags=-N -l", "-o", "../slow", ".").ok().says("welded 4 of 4")
	m.weld("build", "-race", "-o", "../race", ".").ok().says("welded 4 of 4")
	for _, program := range []string{"../plain", "../welded", "../slow", "../race"} {
		m.run(program).ok().prints(fine)
		m.run(program, "cgo").ends(2).says(stopped)
		m.run(program, "hidden").ok().prints(fine + "7\n")
		for how, answer := range map[string]string{"leaf": "7\n", "coro": "8\n"} {
			r := m.run(program, how)
			if program == "../plain" || program == "../race" {
				r.ends(2).says(stopped)
			} else {
				r.ok().prints(fine + answer)
			}
		}
	}
}
