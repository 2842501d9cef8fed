package ring

// A Doorbell is rung by the peers of many connections, so that one goroutine serves them
// all. A connection belongs to it if it was made with Options.Doorbell. An idle one then has
// no goroutine and costs no system call: what is done is in proportion to the records.
//
// It is for Linux.
type Doorbell struct{ doorbell }
