//go:build cgo && !linux

package coro

// Without Linux every coroutine has a thread of its own: an executor only limits how many
// there are.

type worker struct{}

func newWorker() (*worker, error) { panic("unreachable") }

func (w *worker) run() {}

func (w *worker) stop() {}

func (k *call) serveFrom(*worker) (int64, error) { return k.run() }
