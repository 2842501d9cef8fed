package server

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/seamgo/seam/examples/thrift-cluster/kitex_gen/orders"
	"github.com/seamgo/seam/examples/thrift-cluster/place"
	"github.com/seamgo/seam/examples/thrift-cluster/shop"
)

func TestReadConfig(t *testing.T) {
	file := filepath.Join(t.TempDir(), "orders.conf")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("place = unix:/run/orders.sock # here it is\n\nweight = 20\ngrace = 3s\n")
	t.Setenv("ORDERS_WEIGHT", "30")
	c, err := ReadConfig(file)
	if err != nil || c.Place.String() != "unix:/run/orders.sock" || c.Weight != 30 || c.Grace.Seconds() != 3 {
		t.Errorf("%+v, %v", c, err)
	}
	for text, want := range map[string]string{
		"place":             "orders.conf:1: want key = value",
		"\nplace = moon":    `orders.conf:2: no such place: "moon"`,
		"wait = 3":          `no setting is called "wait"`,
		"grace = 3 minutes": "orders.conf:1: time: unknown unit",
	} {
		write(text)
		if _, err := ReadConfig(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	t.Setenv("ORDERS_WEIGHT", "0")
	if _, err := ReadConfig(""); err == nil || !strings.Contains(err.Error(), "ORDERS_WEIGHT: weight is 0") {
		t.Error(err)
	}
}

// A server warms up, serves, tells about itself, drains, and knows its orders the next time.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	p, err := place.Parse("unix:" + filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	for round := range 2 {
		ctx, stop := context.WithCancel(t.Context())
		var log bytes.Buffer
		begun := make(chan string, 1)
		ended := make(chan error, 1)
		go func() {
			ended <- Run(ctx, Config{Place: p, Journal: filepath.Join(dir, "journal"), Admin: "127.0.0.1:0"}, &log, func(address string) { begun <- address })
		}()
		select {
		case <-begun:
		case err := <-ended:
			t.Fatal(err)
		}
		c, err := p.Dial(place.DialOptions{Timeout: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		order, err := c.Place(t.Context(), "anna", "r", []*orders.Line{{Article: "pencil", Quantity: 1, Price: 90}})
		if err != nil || order.Id != int64(round)+1 {
			t.Errorf("round %d: %v, %v", round, order, err)
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		c.Close()
		var events []string
		for line := range strings.Lines(log.String()) {
			var event struct{ Msg string }
			if err := json.Unmarshal([]byte(line), &event); err != nil {
				t.Errorf("%q: %v", line, err)
			}
			events = append(events, event.Msg)
		}
		if got := strings.Join(events, " "); got != "warm serving draining ended" {
			t.Errorf("the log has %s", got)
		}
	}
}

func TestAdmin(t *testing.T) {
	s, err := shop.Open(filepath.Join(t.TempDir(), "journal"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	a := newAdmin(s)
	if err := a.listen("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	defer a.close()
	get := func(path string) (int, string) {
		t.Helper()
		r, err := http.Get("http://" + a.address() + path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		b, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return r.StatusCode, string(b)
	}
	if code, _ := get("/readyz"); code != http.StatusServiceUnavailable {
		t.Errorf("before it serves it says %d", code)
	}
	a.ready.Store(true)
	for _, path := range []string{"/readyz", "/healthz", "/debug/pprof/"} {
		if code, _ := get(path); code != http.StatusOK {
			t.Errorf("%s: %d", path, code)
		}
	}
	if _, err := s.Place(t.Context(), "anna", "r", []*orders.Line{{Article: "pencil", Quantity: 1, Price: 90}}); err != nil {
		t.Fatal(err)
	}
	_, text := get("/metrics")
	for _, want := range []string{"seam_leaf_calls_total 1\n", "orders_placed_total 1\n", "orders_refused_total 0\n", "seam_ready 1\n", "go_goroutines "} {
		if !strings.Contains(text, want) {
			t.Errorf("the metrics lack %q", want)
		}
	}
	// What the dashboard shows is there.
	board, err := os.ReadFile("../deploy/grafana.json")
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(board, &d); err != nil || len(d.Panels) < 6 {
		t.Fatalf("%d panels, %v", len(d.Panels), err)
	}
	for _, p := range d.Panels {
		for _, x := range p.Targets {
			name := regexp.MustCompile(`(kitex|seam|orders|go)_[a-z_]+`).FindString(x.Expr)
			// Kitex's appear with the first call.
			if name == "" || !strings.Contains(text, name) && !strings.HasPrefix(name, "kitex_server_") {
				t.Errorf("panel %s shows %s, which there is not", p.Title, name)
			}
		}
	}
}
