// Package balance chooses a server for a call: the one whose turn it is by weight, or,
// where the IDL names an argument (seam.shard = "user"), the one that its value belongs to.
//
// Values belong to servers by rendezvous hashing: every server gets a score from its
// address and the value, and the highest wins. So all clients agree without a word, a server
// that comes or goes moves only the values that become or were its own, and the order of
// the scores says who stands in for whom. Kitex's own consistent hashing has a random seed in
// each process: two clients would send the same user to different servers.
//
// A choice takes a few nanoseconds for each server: for hundreds of them this is right.
package balance

import (
	"context"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"sync"

	"github.com/cloudwego/kitex/pkg/discovery"
	"github.com/cloudwego/kitex/pkg/loadbalance"
	"github.com/cloudwego/kitex/pkg/rpcinfo"
	"github.com/cloudwego/kitex/pkg/rpcinfo/remoteinfo"
)

// Sharded is what seam gen writes for the arguments of functions with seam.shard.
type Sharded interface{ ShardKey() string }

// A Balancer is a Kitex load balancer.
type Balancer struct {
	known sync.Map // the CacheKey of a list of servers: *members
}

// New makes one.
func New() *Balancer { return new(Balancer) }

// Name is for Kitex.
func (*Balancer) Name() string { return "seam_rendezvous" }

// members are the servers of a list with the hashes of their addresses.
type members struct {
	list   []discovery.Instance
	hashes []uint64
}

// GetPicker is called for every attempt of a call.
func (b *Balancer) GetPicker(r discovery.Result) loadbalance.Picker {
	if !r.Cacheable {
		return hashed(r.Instances)
	}
	if m, ok := b.known.Load(r.CacheKey); ok {
		return m.(*members)
	}
	// Rebalance may have been told of a newer list meanwhile.
	m, _ := b.known.LoadOrStore(r.CacheKey, hashed(r.Instances))
	return m.(*members)
}

// Rebalance is told when servers have come or gone.
func (b *Balancer) Rebalance(c discovery.Change) {
	if c.Result.Cacheable {
		b.known.Store(c.Result.CacheKey, hashed(c.Result.Instances))
	}
}

// Delete is told when nobody uses a list any more.
func (b *Balancer) Delete(c discovery.Change) { b.known.Delete(c.Result.CacheKey) }

func hashed(list []discovery.Instance) *members {
	m := &members{list: list, hashes: make([]uint64, len(list))}
	for i, x := range list {
		m.hashes[i] = hash(x.Address().String())
	}
	return m
}

// Next chooses. If the call was not sent, because there was no connection to be had or the
// server's breaker is open, it is asked again, and gives the next in order.
func (m *members) Next(ctx context.Context, request any) discovery.Instance {
	var last string
	if info := rpcinfo.GetRPCInfo(ctx); info != nil {
		if to := remoteinfo.AsRemoteInfo(info.To()); to != nil && to.GetInstance() != nil {
			last = to.GetInstance().Address().String()
		}
	}
	if s, ok := request.(Sharded); ok {
		return m.after(last, hash(s.ShardKey()))
	}
	return m.after(last, rand.Uint64()) // an order of its own for every attempt
}

// after gives the server that follows the last one in the order of the scores: the highest
// if there was none, and again after the lowest.
func (m *members) after(last string, key uint64) discovery.Instance {
	bound := math.Inf(1)
	if last != "" {
		for i, x := range m.list {
			if x.Address().String() == last {
				bound = m.score(i, key)
			}
		}
	}
	var next, first discovery.Instance
	nextScore, firstScore := math.Inf(-1), math.Inf(-1)
	for i, x := range m.list {
		s := m.score(i, key)
		if s > firstScore {
			first, firstScore = x, s
		}
		if s < bound && s > nextScore {
			next, nextScore = x, s
		}
	}
	if next == nil {
		return first
	}
	return next
}

// score is -w / ln u with u in (0, 1) from the hash: the chance to have the highest is
// proportional to the weight. With 52 bits the half is exact; with 53 u could be rounded to 1.
func (m *members) score(i int, key uint64) float64 {
	u := (float64(mix(m.hashes[i]^key)>>12) + 0.5) / (1 << 52)
	return -float64(max(m.list[i].Weight(), 1)) / math.Log(u)
}

// hash is the same in every process.
func hash(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return mix(h.Sum64())
}

// mix spreads every bit over all of them (the last steps of splitmix64).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
