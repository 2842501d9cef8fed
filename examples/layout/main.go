//go:build cgo

package main

import "fmt"

func main() {
	list := make([]Quote, 4)
	for _, q := range list[:Fill(list)] {
		fmt.Println(q.Sequence, q.Name(), q.Side, q.Venue, q.Levels[0].Price, q.Levels[0].Size)
	}
	fmt.Printf("worth %.2f\n", Worth(list))
}
