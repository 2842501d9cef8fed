//go:build cgo && !linux

package queue

import "errors"

// Native needs eventfd: here it fails.
func Native(calls, workers int, name string, complete func(i uint32, s State)) (Queue, error) {
	return nil, errors.New("the system is not Linux")
}
