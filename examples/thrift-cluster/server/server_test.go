package server

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cloudwego/kitex/client"
	kitex "github.com/cloudwego/kitex/server"

	"github.com/seamgo/seam/examples/thrift-cluster/kitex_gen/orders"
	service "github.com/seamgo/seam/examples/thrift-cluster/kitex_gen/orders/orders"
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
		"grace = -3s":       "orders.conf:1: grace is -3s",
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
	callByKitex(t, s, a) // whose metrics come with the first call
	_, text := get("/metrics")
	for _, want := range []string{"seam_leaf_calls_total 1\n", "orders_placed_total 1\n", "orders_refused_total 0\n", "seam_ready 1\n", "go_goroutines ",
		`seam_welded_functions{state="demoted"} 0`, "seam_coroutines 0\n", "seam_coroutines_abandoned_total 0\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("the metrics lack %q", want)
		}
	}
	for name, least := range map[string]float64{"seam_cgo_calls_total": 1, "seam_c_memory_bytes": 1 << 16, "seam_c_heap_bytes": 1 << 16} {
		m := regexp.MustCompile(`(?m)^` + name + ` (.*)$`).FindStringSubmatch(text)
		if m == nil {
			t.Errorf("the metrics lack %s", name)
		} else if v, err := strconv.ParseFloat(m[1], 64); err != nil || v < least {
			t.Errorf("%s is %s, want %v at least", name, m[1], least)
		}
	}
	// What the dashboard shows is there, every name of every expression.
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
	if err := json.Unmarshal(board, &d); err != nil || len(d.Panels) < 11 {
		t.Fatalf("%d panels, %v", len(d.Panels), err)
	}
	shown := map[string]bool{}
	for _, p := range d.Panels {
		for _, x := range p.Targets {
			names := regexp.MustCompile(`(kitex|seam|orders|go)_[a-z_]+`).FindAllString(x.Expr, -1)
			if len(names) == 0 {
				t.Errorf("panel %s shows nothing of ours: %s", p.Title, x.Expr)
			}
			for _, name := range names {
				shown[name] = true
				if !regexp.MustCompile(`(?m)^` + name + `[ {]`).MatchString(text) {
					t.Errorf("panel %s shows %s, which there is not", p.Title, name)
				}
			}
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^# TYPE ((?:seam|orders)_\S+)`).FindAllStringSubmatch(text, -1) {
		if !shown[m[1]] {
			t.Errorf("no panel shows %s", m[1])
		}
	}
}

// callByKitex calls the shop over a server of Kitex that an admin watches.
func callByKitex(t *testing.T, s *shop.Shop, a *admin) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	begun := make(chan struct{})
	server := service.NewServer(s, kitex.WithListener(l), kitex.WithTracer(a.tracer),
		kitex.WithExitSignal(func() <-chan error { close(begun); return nil }))
	go func() {
		if err := server.Run(); err != nil {
			t.Error(err)
		}
	}()
	<-begun
	defer server.Stop()
	c, err := service.NewClient("orders", client.WithHostPorts(l.Addr().String()), client.WithRPCTimeout(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Counters(t.Context()); err != nil {
		t.Fatal(err)
	}
}
