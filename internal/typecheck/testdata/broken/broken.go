// Package broken compiles everywhere but on Windows.
package broken

func length() int { return len(name()) }
