package buffers

import "unsafe"

// array is a buffer on the stack. Its size is part of its type, so there is a
// function for each. Work with a file has functions of its own: since the
// compiler can't tell that the file keeps no buffer, it moves the arrays of
// every possible caller to the heap.
type array interface {
	[4 << 10]byte | [8 << 10]byte | [16 << 10]byte | [32 << 10]byte | [64 << 10]byte | [128 << 10]byte
}

// bytesOf is p[:], which the language doesn't have for arrays of several lengths.
func bytesOf[A array](p *A) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(p)), unsafe.Sizeof(*p))
}

// eachInMemory does the job once with two arrays, which Go clears each time.
//
//go:noinline
func eachInMemory[A array](j *job) {
	var a, b A
	j.memory(bytesOf(&a), bytesOf(&b))
}

// onceInMemory does the job n times with the same two arrays: the extra time of
// eachInMemory is the clearing.
//
//go:noinline
func onceInMemory[A array](j *job, n int) {
	var a, b A
	for range n {
		j.memory(bytesOf(&a), bytesOf(&b))
	}
}

//go:noinline
func eachWithFile[A array](j *job) {
	var a, b A
	j.file(bytesOf(&a), bytesOf(&b))
}

//go:noinline
func onceWithFile[A array](j *job, n int) {
	var a, b A
	for range n {
		j.file(bytesOf(&a), bytesOf(&b))
	}
}

// arrays are the functions of one size.
type arrays struct {
	each func(*job)
	once func(*job, int)
}

// arraysOf are those without and with a file.
func arraysOf[A array]() map[bool]arrays {
	return map[bool]arrays{
		false: {eachInMemory[A], onceInMemory[A]},
		true:  {eachWithFile[A], onceWithFile[A]},
	}
}

// arraysBySize are the functions by size and whether there is a file.
var arraysBySize = map[int]map[bool]arrays{
	4 << 10:   arraysOf[[4 << 10]byte](),
	8 << 10:   arraysOf[[8 << 10]byte](),
	16 << 10:  arraysOf[[16 << 10]byte](),
	32 << 10:  arraysOf[[32 << 10]byte](),
	64 << 10:  arraysOf[[64 << 10]byte](),
	128 << 10: arraysOf[[128 << 10]byte](),
}
