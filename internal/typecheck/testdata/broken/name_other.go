//go:build !windows

package broken

func name() string { return "name" }
