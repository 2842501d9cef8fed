//go:build cgo && seam_libs

// Command kafka lets many consumers of github.com/confluentinc/confluent-kafka-go wait for
// messages of librdkafka's own mock cluster: a topic and a goroutine each.
//
// A topic of one partition: of one with 2,000 each client of librdkafka's keeps 2,000 partitions in
// memory. The cluster is one thread, which looks at all its connections for each thing that happens on one: that takes
// it half a microsecond for each consumer there is. So what all consumers ask for costs it the square of their
// number, and they ask the more seldom, the more they are: else 2,000 that ask for messages
// twice a second would take more than the thread has.
package main

import (
	"encoding/binary"
	"flag"
	"fmt"
	"log"
	"sync"
	"time"

	"github.com/confluentinc/confluent-kafka-go/v2/kafka"

	"github.com/seamgo/seam/bench/weld/libs/threads"
)

// atOnce is how many consumers begin at once.
const atOnce = 5

func main() {
	n := flag.Int("n", 2000, "consumers")
	messages := flag.Int("messages", 50, "messages to each")
	wait := flag.Duration("wait", 0, "for which a consumer's request waits at the broker; 0: as long as the cluster needs for four times as many, 100 ms at least")
	pause := flag.Duration("pause", 100*time.Millisecond, "between one message to all and the next; 0: all at once")
	flag.Parse()
	cluster, err := kafka.NewMockCluster(1)
	check(err)
	defer cluster.Close()
	topics := make([]string, *n)
	for i := range topics {
		topics[i] = fmt.Sprint("t", i)
		check(cluster.CreateTopic(topics[i], 1, 1))
	}
	if *wait == 0 {
		*wait = max(100*time.Millisecond, time.Duration(*n**n)*2*time.Microsecond)
	}
	producer, err := kafka.NewProducer(&kafka.ConfigMap{"bootstrap.servers": cluster.BootstrapServers(), "linger.ms": 1, "log_level": 0})
	check(err)
	send := func(value uint64) {
		for i := range topics {
			m := &kafka.Message{TopicPartition: kafka.TopicPartition{Topic: &topics[i], Partition: 0}, Value: binary.BigEndian.AppendUint64(nil, value)}
			for {
				err := producer.Produce(m, nil)
				if e, ok := err.(kafka.Error); ok && e.Code() == kafka.ErrQueueFull {
					time.Sleep(time.Millisecond)
					continue
				}
				check(err)
				break
			}
		}
	}
	go func() {
		for e := range producer.Events() {
			if m, ok := e.(*kafka.Message); ok {
				check(m.TopicPartition.Error)
			}
		}
	}()
	consumers := make([]*kafka.Consumer, *n)
	receive := func(consumers []*kafka.Consumer, from, to int) {
		var wg sync.WaitGroup
		for _, c := range consumers {
			wg.Go(func() {
				for want := uint64(from); want < uint64(to); want++ {
					m, err := c.ReadMessage(2 * time.Minute)
					for err != nil && again(err) {
						m, err = c.ReadMessage(2 * time.Minute)
					}
					check(err)
					if got := binary.BigEndian.Uint64(m.Value); got != want {
						log.Fatalf("%v: message %d, want %d", m.TopicPartition, got, want)
					}
				}
			})
		}
		wg.Wait()
	}
	send(0)
	// Few come at once: the cluster's queue of connections is short, and who finds it full tries
	// again after 1 s, 3 s, 7 s and so on. A consumer has come when it has its first message.
	start := time.Now()
	for i := 0; i < len(consumers); i += atOnce {
		some := consumers[i:min(i+atOnce, len(consumers))]
		for k := range some {
			c, err := kafka.NewConsumer(&kafka.ConfigMap{"bootstrap.servers": cluster.BootstrapServers(), "group.id": fmt.Sprint("g", i+k),
				"auto.offset.reset": "earliest", "log_level": 0, "enable.auto.commit": false, "fetch.wait.max.ms": int(wait.Milliseconds()), "api.version.request.timeout.ms": 120_000, "topic.metadata.refresh.interval.ms": -1,
				"queued.max.messages.kbytes": 1024, "fetch.message.max.bytes": 65536})
			check(err)
			check(c.Assign([]kafka.TopicPartition{{Topic: &topics[i+k], Partition: 0, Offset: kafka.OffsetBeginning}}))
			some[k] = c
		}
		receive(some, 0, 1)
	}
	came := time.Since(start)
	var took time.Duration
	most := threads.Most(func() {
		start := time.Now()
		go func() {
			for i := range *messages {
				time.Sleep(*pause)
				send(uint64(i + 1))
			}
		}()
		receive(consumers, 1, *messages+1)
		took = time.Since(start)
	}, "rdk:")
	fmt.Printf("%d consumers after %.1f s; %.2f s, %.0f messages a second, %d threads besides librdkafka's\n", *n, came.Seconds(), took.Seconds(), float64(*n**messages)/took.Seconds(), most)
}

// again reports whether the library goes on by itself: so many clients of one broker that come at
// once, on few processors, time out now and then.
func again(err error) bool {
	e, ok := err.(kafka.Error)
	return ok && (e.Code() == kafka.ErrAllBrokersDown || e.Code() == kafka.ErrTransport)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
