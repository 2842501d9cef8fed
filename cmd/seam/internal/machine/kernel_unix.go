//go:build unix

package machine

import "golang.org/x/sys/unix"

// kernel names the running kernel: "Linux 6.12.9".
func kernel() string {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return ""
	}
	return clean(unix.ByteSliceToString(u.Sysname[:]) + " " + unix.ByteSliceToString(u.Release[:]))
}
