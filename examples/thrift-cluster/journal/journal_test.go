package journal

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamgo/seam/examples/thrift-cluster/kitex_gen/orders"
)

func TestWhatIsHalfWrittenIsCutOff(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	fill := func(want int, add ...int64) {
		t.Helper()
		var got []int64
		j, err := Open(path, func(o *orders.Order) { got = append(got, o.Id) })
		if err != nil || len(got) != want {
			t.Fatalf("%v, %v, want %d", got, err, want)
		}
		for _, id := range add {
			if err := j.Append(&orders.Order{Id: id, User: "anna", Request: "r"}); err != nil {
				t.Fatal(err)
			}
		}
		if err := j.Close(); err != nil {
			t.Error(err)
		}
		if err := j.Append(&orders.Order{}); err == nil {
			t.Error("a closed journal takes orders")
		}
	}
	fill(0, 1, 2)
	whole, _ := os.ReadFile(path)
	for cut := 1; cut < len(whole)/2; cut++ {
		if err := os.WriteFile(path, whole[:len(whole)-cut], 0o644); err != nil {
			t.Fatal(err)
		}
		fill(1, 2)
		fill(2)
	}
}

func TestDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	for text, want := range map[string]string{"\xff\xff\xff\xff": "a record of 4294967295 bytes", "\x02\x00\x00\x00\x15\x02": "at 0: "} {
		os.WriteFile(path, []byte(text), 0o644)
		if _, err := Open(path, func(*orders.Order) {}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
		if err := Read(path, func(*orders.Order) {}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Two servers by mistake with one journal: the second is refused and harms nothing, and when
// the first has ended the file can be had.
func TestOneServer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	none := func(*orders.Order) {}
	j, err := Open(path, none)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, none); err == nil || !strings.Contains(err.Error(), "another server has it") {
		t.Errorf("the second: %v", err)
	}
	if err := j.Append(&orders.Order{Id: 1, User: "anna", Request: "r"}); err != nil {
		t.Error(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	n := 0
	if j, err = Open(path, func(*orders.Order) { n++ }); err != nil || n != 1 {
		t.Fatalf("%d orders, %v", n, err)
	}
	j.Close()
}
