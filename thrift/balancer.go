package thrift

import (
	"context"
	"hash/fnv"
	"net"
)

// A Resolver says where the servers of a [Pool] are: by name, as [DNS] does, or by a registry.
type Resolver interface {
	// Resolve returns the addresses of all servers, as PoolOptions.Dial takes them, in any order.
	// If it fails, or there are none, the pool goes on with those that it knows.
	Resolve(ctx context.Context) ([]string, error)
}

// A ResolverFunc is a [Resolver].
type ResolverFunc func(ctx context.Context) ([]string, error)

// Resolve calls f.
func (f ResolverFunc) Resolve(ctx context.Context) ([]string, error) { return f(ctx) }

// DNS returns a [Resolver] that asks for all addresses of a name: "orders.internal:9090". Go's own
// Dial connects to the first one that answers. What is dialled is an address, so a tls.Config
// needs the name as its ServerName.
func DNS(address string) Resolver {
	return ResolverFunc(func(ctx context.Context) ([]string, error) {
		host, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		hosts, err := net.DefaultResolver.LookupHost(ctx, host)
		if err != nil {
			return nil, err
		}
		for i, h := range hosts {
			hosts[i] = net.JoinHostPort(h, port)
		}
		return hosts, nil
	})
}

// A Candidate is a server that a [Balancer] may choose.
type Candidate struct {
	Address string
	Calls   int // that this pool has under way on it
}

// A Balancer chooses the server for a call of a [Pool]. Without one it is that with the fewest
// calls.
type Balancer interface {
	// Pick returns the index of one of the candidates, which are one at least: those that can be
	// reached, as far as the pool knows, or all if none can. If that one can't be reached it is
	// asked again, without it. args are the arguments of the function; those of a function with
	// the annotation seam.shard have a method ShardKey() string. It is called by several
	// goroutines at a time.
	Pick(function string, args Body, candidates []Candidate) int
}

// ByShard returns a [Balancer] for functions with the annotation seam.shard: calls with the same
// argument go to the same server, from whatever client. If a server comes or goes, only those calls
// move that are for it, and all clients turn to the same deputy. Other calls go to the server with
// the fewest.
//
// Every server gets a score from its address and the argument, and the highest wins (rendezvous
// hashing), so clients agree if they have the same addresses, letter by letter.
func ByShard() Balancer { return byShard{} }

type byShard struct{}

func (byShard) Pick(_ string, args Body, candidates []Candidate) int {
	best := 0
	sharded, ok := args.(interface{ ShardKey() string })
	if !ok {
		for i, c := range candidates {
			if c.Calls < candidates[best].Calls {
				best = i
			}
		}
		return best
	}
	key, most := shardHash(sharded.ShardKey()), uint64(0)
	for i, c := range candidates {
		if score := spread(shardHash(c.Address) ^ key); score > most {
			best, most = i, score
		}
	}
	return best
}

// shardHash is the same in every process.
func shardHash(s string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(s))
	return spread(h.Sum64())
}

// spread spreads every bit over all of them (the last steps of splitmix64).
func spread(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
