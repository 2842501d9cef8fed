//go:build !unix

package gotool

func inForeground() bool { return false }
