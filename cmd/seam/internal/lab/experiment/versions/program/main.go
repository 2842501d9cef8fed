//go:build versions_program

// Command program does one thing many times, and tells how long it took. It takes orders
// as JSON on standard input and answers on descriptor 3. Every Go since 1.14 compiles it.
package main

// int add(int a, int b);
// void call_back(int n);
import "C"

import (
	"encoding/json"
	"os"
	"runtime"
	"sync"
	"time"
)

type order struct {
	What string
	N    int
}

type answer struct {
	Wrong string
	NS    int64
}

func main() {
	runtime.GOMAXPROCS(1)
	orders, answers := json.NewDecoder(os.Stdin), json.NewEncoder(os.NewFile(3, "answers"))
	for {
		var o order
		if orders.Decode(&o) != nil {
			return
		}
		var a answer
		do, known := things[o.What]
		if !known {
			a.Wrong = "it does not know " + o.What
		} else {
			begin := time.Now()
			do(o.N)
			a.NS = int64(time.Since(begin))
		}
		if answers.Encode(a) != nil {
			return
		}
	}
}

var things = map[string]func(n int){
	"call": call, "callback": callback, "goroutine": goroutine, "switch": change, "growth": growth, "map": lookup, "codec": codec,
}

var sink int

func call(n int) {
	sum := C.int(0)
	for i := 0; i < n; i++ {
		sum = C.add(sum, 1)
	}
	sink += int(sum)
}

//export goAdd
func goAdd(a, b C.int) C.int { return a + b }

func callback(n int) { C.call_back(C.int(n)) }

func goroutine(n int) {
	var all sync.WaitGroup
	for i := 0; i < n; i++ {
		all.Add(1)
		go all.Done()
		all.Wait()
	}
}

func change(n int) {
	there, back := make(chan int), make(chan int)
	go func() {
		for i := range there {
			back <- i
		}
	}()
	for i := 0; i < n; i++ {
		there <- i
		sink += <-back
	}
	close(there)
}

//go:noinline
func deep(calls int) int {
	var frame [1000]byte
	frame[calls&511] = byte(calls)
	if calls == 0 {
		return int(frame[1])
	}
	return deep(calls-1) + int(frame[calls&511])
}

func growth(n int) {
	done := make(chan int)
	for i := 0; i < n; i++ {
		go func() { done <- deep(40) }() // 40 KB and more: 2 KB become 64
		sink += <-done
	}
}

var table = func() map[int]int {
	m := map[int]int{}
	for i := 0; i < 1024; i++ {
		m[i*7919] = i
	}
	return m
}()

func lookup(n int) {
	sum := 0
	for i := 0; i < n; i++ {
		sum += table[(i&1023)*7919]
	}
	sink += sum
}

type object struct {
	ID    int               `json:"id"`
	Name  string            `json:"name"`
	Price float64           `json:"price"`
	Tags  []string          `json:"tags"`
	More  map[string]string `json:"more"`
}

var text = []byte(`{"id":17,"name":"a name","price":12.5,"tags":["one","two","three"],"more":{"colour":"red","size":"large"}}`)

func codec(n int) {
	for i := 0; i < n; i++ {
		var o object
		if err := json.Unmarshal(text, &o); err != nil {
			panic(err)
		}
		again, err := json.Marshal(&o)
		if err != nil {
			panic(err)
		}
		sink += len(again)
	}
}
