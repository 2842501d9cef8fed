package codecs

// LiveHeap returns so many MB of objects with pointers, such as a service keeps: with
// them the garbage collector runs more rarely, and has more to mark.
func LiveHeap(mb int) any {
	const size = 64
	objects := make([]*object, mb<<20/(size+8))
	for i := range objects {
		objects[i] = &object{name: names[i%len(names)], next: objects[max(0, i-1)], data: [5]uint64{uint64(i)}}
	}
	return objects
}

type object struct {
	name string
	next *object
	data [5]uint64
}

var names = []string{"alpha", "beta", "gamma"}
