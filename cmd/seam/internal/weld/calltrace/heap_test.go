package calltrace

import "testing"

func TestHeap(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct {
		heap *Heap
		want string
	}{
		{nil, ""},
		{&Heap{PID: 7, Looks: 3, MostUsed: mib / 2, MostFree: mib / 4}, ""},
		{&Heap{PID: 7, Looks: 1, MostUsed: 3 * mib, LastUsed: 3 * mib},
			"C's malloc was seen with at most 3.00 MiB of resident memory in use, and at most 0 B that it kept free (process 7, 1 look)."},
		{&Heap{PID: 7, Looks: 12, MostUsed: 120 * mib, MostFree: 119 * mib, LastUsed: mib, LastFree: 119 * mib},
			"C's malloc was seen with at most 120 MiB of resident memory in use, and at most 119 MiB that it kept free (process 7, 12 looks); at the last look 1.00 MiB and 119 MiB. A line trim: 1s in seam.plan gives free memory back while the program is idle; seam heap says who had it."},
	} {
		if got := c.heap.String(); got != c.want {
			t.Errorf("%+v:\n%s\nwant\n%s", c.heap, got, c.want)
		}
	}
}
