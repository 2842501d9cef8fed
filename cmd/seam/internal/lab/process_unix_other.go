//go:build unix && !linux

package lab

import "syscall"

// dieWithParent: only Linux can; elsewhere the worker sees its standard input end.
func dieWithParent(*syscall.SysProcAttr) {}
