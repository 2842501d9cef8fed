//go:build cgo && linux && !race

package queue

func syncRace() {}
