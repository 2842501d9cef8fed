// Package subprocess runs a part of an experiment in a process of its own, because
// threads stay behind in a process, memory is not given back, and counters of
// the kernel and the runtime are for the whole of it. It also reads those
// counters.
//
// The process is this program started again. It takes its part before main: an
// experiment that calls [Hook] from an init function needs no verb and no word
// in main, and works the same in its own tests.
package subprocess
