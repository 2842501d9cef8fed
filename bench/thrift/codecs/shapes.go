package codecs

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/seamgo/seam/bench/thrift/peers/kitex"
)

// Log returns a line of a log, 30 strings of 0 to some 150 bytes.
func Log() *kitex.LogEvent {
	return &kitex.LogEvent{
		Time: "2025-11-21T10:42:07.183294Z", Level: "WARN", Logger: "com.example.checkout.PaymentHandler",
		Message: "payment provider answered after 2 retries, the order stays reserved for 15 minutes",
		Host:    "ip-10-31-204-17.eu-north-1.compute.internal", Zone: "eu-north-1b", Service: "checkout", Version: "4.17.2-rc3",
		Commit: "8d0f5c9be2a14e6f9f6c1f1a35a1b2c3d4e5f607", Instance: "checkout-7c9d8b5f64-x2x9q",
		Trace: "4bf92f3577b34da6a3ce929d0e0e4736", Span: "00f067aa0ba902b7", Parent: "53995c3f42cd8ad8",
		User: "u-7301994", Session: "5f0c2d9e4b7a4f6e8c1d", Tenant: "nordic-retail", Address: "203.0.113.77",
		Forwarded: "203.0.113.77, 198.51.100.4", Verb: "POST", Path: "/api/v2/orders/7301994551203/payments",
		Route: "/api/v2/orders/{order}/payments", Query: "", Status: "202", Size: "1873", Duration: "412.77ms",
		Agent:    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
		Referrer: "https://shop.example.com/basket?step=pay", Language: "sv-SE,sv;q=0.9,en;q=0.7", Encoding: "gzip, br, zstd",
		Thread: "http-nio-8080-exec-14",
	}
}

// Blob returns 10 KB with a name.
func Blob() *kitex.Blob {
	r := rand.New(rand.NewPCG(3, 4))
	b := &kitex.Blob{Name: "segments/000042.part", Offset: 1 << 33, Data: make([]byte, 10<<10)}
	for i := range b.Data {
		b.Data[i] = byte(r.Uint32())
	}
	return b
}

// Points returns 20 tracks of 50 points.
func Points() *kitex.Tracks {
	r := rand.New(rand.NewPCG(5, 6))
	t := new(kitex.Tracks)
	for range 20 {
		track := &kitex.Track{Name: fmt.Sprintf("vessel-%04d", r.IntN(1e4))}
		for k := range 50 {
			track.Points = append(track.Points, &kitex.Point{X: r.Float64() * 180, Y: r.Float64() * 90, Time: 1_763_721_600_000 + int64(k)*1000})
		}
		t.Tracks = append(t.Tracks, track)
	}
	return t
}

// Counters returns maps of numbers.
func Counters() *kitex.Counters {
	r := rand.New(rand.NewPCG(7, 8))
	c := &kitex.Counters{Visits: map[int64]int64{}, Codes: map[int32]int64{}, Rates: map[int32]float64{}}
	for len(c.Visits) < 200 {
		c.Visits[anySize(r)] = int64(r.IntN(1e6))
	}
	for len(c.Codes) < 40 {
		c.Codes[int32(100+r.IntN(500))] = int64(r.IntN(1e6))
	}
	for len(c.Rates) < 100 {
		c.Rates[int32(r.Uint32())] = r.Float64()
	}
	return c
}

// History returns 60 events of a workflow that runs activities and waits for timers.
func History() *kitex.History {
	r := rand.New(rand.NewPCG(9, 10))
	h := new(kitex.History)
	last := int64(0)
	text := func(prefix string) *string { return ptr(fmt.Sprintf("%s-%08x", prefix, r.Uint32())) }
	named := func(name string) *kitex.Named { return &kitex.Named{Name: &name} }
	input := func() []byte { return []byte(fmt.Sprintf(`{"order":%d,"amount":%.2f}`, r.Uint32(), 1000*r.Float64())) }
	identity := ptr("17@worker-6d5c7b9f48-2jk8p@orders")
	add := func(kind kitex.EventKind) *kitex.HistoryEvent {
		last++
		e := &kitex.HistoryEvent{Id: ptr(last), Time: ptr(1_763_721_600_000_000_000 + last*1_000_000), Kind: &kind, Version: ptr(int64(-24)), Task: ptr(1_048_576 + last)}
		h.Events = append(h.Events, e)
		return e
	}
	task := func() {
		add(kitex.EventKind_TASK_SCHEDULED).TaskScheduled = &kitex.TaskScheduled{Queue: named("orders"), Patience: ptr(int32(10)), Attempt: ptr(int64(0))}
		add(kitex.EventKind_TASK_STARTED).TaskStarted = &kitex.TaskStarted{Scheduled: ptr(last - 1), Identity: identity, Request: text("request")}
		add(kitex.EventKind_TASK_COMPLETED).TaskCompleted = &kitex.TaskCompleted{Context: input(), Scheduled: ptr(last - 2), Started: ptr(last - 1), Identity: identity, Checksum: text("sum")}
	}
	add(kitex.EventKind_STARTED).Started = &kitex.Started{
		Type: named("OrderWorkflow"), Queue: named("orders"), Input: input(), Patience: ptr(int32(3600)), TaskPatience: ptr(int32(10)),
		Run: text("run"), Identity: identity, Retry: &kitex.Retry{Initial: ptr(int32(1)), Factor: ptr(2.0), Attempts: ptr(int32(5))},
		Memo: map[string][]byte{"customer": []byte(`"c-4471-9920-ab"`)},
	}
	task()
	for len(h.Events) < 58 {
		if r.IntN(3) == 0 {
			timer := text("timer")
			add(kitex.EventKind_TIMER_STARTED).TimerStarted = &kitex.Timer{Timer: timer, Seconds: ptr(int64(30)), Completed: ptr(last - 1)}
			add(kitex.EventKind_TIMER_FIRED).TimerFired = &kitex.Timer{Timer: timer, Completed: ptr(last - 1)}
		} else {
			add(kitex.EventKind_ACTIVITY_SCHEDULED).ActivityScheduled = &kitex.ActivityScheduled{Activity: text("activity"), Type: named("ReserveStock"),
				Queue: named("orders"), Input: input(), QueuePatience: ptr(int32(60)), RunPatience: ptr(int32(30)), Heartbeat: ptr(int32(0)),
				Completed: ptr(last - 1), Retry: &kitex.Retry{Initial: ptr(int32(1)), Factor: ptr(2.0), Most: ptr(int32(60))}}
			add(kitex.EventKind_ACTIVITY_STARTED).ActivityStarted = &kitex.ActivityStarted{Scheduled: ptr(last - 1), Identity: identity, Request: text("request"), Attempt: ptr(int32(0))}
			add(kitex.EventKind_ACTIVITY_COMPLETED).ActivityCompleted = &kitex.ActivityCompleted{Answer: input(), Scheduled: ptr(last - 2), Started: ptr(last - 1), Identity: identity}
		}
		task()
	}
	for len(h.Events) < 60 {
		add(kitex.EventKind_SIGNALED).Signaled = &kitex.Signal{Name: ptr("cancel"), Input: input(), Identity: identity}
	}
	h.Events = h.Events[:60]
	return h
}

// Table returns a table with 20 partitions, each of which has the columns again.
func Table() *kitex.Table {
	storage := func(folder string) *kitex.Storage {
		s := &kitex.Storage{
			Location: "hdfs://warehouse/user/hive/warehouse/sales.db/orders" + folder,
			Input:    "org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat",
			Output:   "org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat",
			Buckets:  -1,
			Serializer: &kitex.Serializer{Name: "orders", Library: "org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe",
				Parameters: map[string]string{"serialization.format": "1"}},
			BucketColumns: []string{}, Sorting: []*kitex.Sorting{}, Parameters: map[string]string{}, Folders: ptr(false),
		}
		for _, column := range []string{"id bigint", "customer string", "email string", "status int", "created timestamp",
			"updated timestamp", "paid boolean", "total decimal(18,2)", "currency string", "items array<struct<sku:string,cents:bigint>>"} {
			name, kind, _ := strings.Cut(column, " ")
			s.Columns = append(s.Columns, &kitex.Column{Name: name, Type: kind})
		}
		return s
	}
	t := &kitex.Table{Name: "orders", Base: "sales", Owner: "etl", Created: 1_763_721_600, Storage: storage(""),
		Keys: []*kitex.Column{{Name: "day", Type: "string"}, {Name: "country", Type: "string", Comment: "ISO 3166"}},
		Kind: "MANAGED_TABLE", Parameters: map[string]string{"transient_lastDdlTime": "1763721600", "parquet.compression": "ZSTD"}}
	for day := range 20 {
		values := []string{fmt.Sprintf("2025-11-%02d", day+1), "SE"}
		t.Partitions = append(t.Partitions, &kitex.Partition{
			Values: values, Base: "sales", Table: "orders", Created: int32(1_763_721_600 + day), Storage: storage("/day=" + values[0] + "/country=" + values[1]),
			Parameters: map[string]string{"numFiles": "4", "numRows": fmt.Sprint(100_000 + day), "totalSize": fmt.Sprint(1<<28 + day), "transient_lastDdlTime": "1763721600"},
		})
	}
	return t
}
