package lab

import "syscall"

// dieWithParent has the kernel end the worker when its parent is killed: a
// worker that hangs in C would not notice by itself. It is bound to the
// parent's thread, so the runner locks its goroutine while a worker lives.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
