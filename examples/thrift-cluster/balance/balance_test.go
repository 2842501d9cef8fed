package balance

import (
	"context"
	"math"
	"strconv"
	"testing"

	"github.com/cloudwego/kitex/pkg/discovery"
	"github.com/cloudwego/kitex/pkg/rpcinfo"
	"github.com/cloudwego/kitex/pkg/rpcinfo/remoteinfo"

	"github.com/seamgo/seam/examples/thrift-cluster/kitex_gen/orders"
)

// servers makes a list of servers on ports from 1 up.
func servers(weights ...int) discovery.Result {
	r := discovery.Result{Cacheable: true, CacheKey: "orders"}
	for i, w := range weights {
		r.Instances = append(r.Instances, discovery.NewInstance("tcp", "10.0.0.1:"+strconv.Itoa(i+1), w, nil))
	}
	return r
}

func call(user string) *orders.OrdersGetArgs { return &orders.OrdersGetArgs{User: user} }

// owners says which server each of many users belongs to.
func owners(b *Balancer, r discovery.Result, users int) []string {
	var list []string
	for i := range users {
		list = append(list, b.GetPicker(r).Next(context.Background(), call("user "+strconv.Itoa(i))).Address().String())
	}
	return list
}

// When a server comes or goes, only the users move that become or were its own.
func TestFewUsersMove(t *testing.T) {
	const users = 20000
	for n := 1; n <= 12; n++ {
		weights := make([]int, n+1)
		for i := range weights {
			weights[i] = 10
		}
		few, more := servers(weights[:n]...), servers(weights...)
		b := New()
		before := owners(b, few, users)
		b.Rebalance(discovery.Change{Result: more})
		after := owners(b, more, users)
		added := more.Instances[n].Address().String()
		moved := 0
		for i := range before {
			if before[i] != after[i] {
				moved++
				if after[i] != added {
					t.Fatalf("of %d servers, user %d moves to %s, not to the new one", n, i, after[i])
				}
			}
		}
		// 1/(n+1), and five standard deviations.
		p := 1 / float64(n+1)
		if limit := users*p + 5*math.Sqrt(users*p*(1-p)); float64(moved) > limit {
			t.Errorf("to %d servers one more: %d of %d users move, want %.0f at most", n, moved, users, limit)
		}
	}
}

// Clients that have never heard of each other agree. The figures are those of another
// process: a hash with a seed would not give them again.
func TestAllProcessesAgree(t *testing.T) {
	r := servers(10, 10, 10)
	want := map[string]string{"anna": "10.0.0.1:3", "berta": "10.0.0.1:3", "carla": "10.0.0.1:3", "dora": "10.0.0.1:2", "emma": "10.0.0.1:2"}
	for user, address := range want {
		if got := New().GetPicker(r).Next(context.Background(), call(user)).Address().String(); got != address {
			t.Errorf("%s belongs to %s, want %s", user, got, address)
		}
	}
}

func TestWeights(t *testing.T) {
	const n = 60000
	r := servers(10, 20, 30)
	for name, request := range map[string]func(i int) any{
		"with a key":    func(i int) any { return call(strconv.Itoa(i)) },
		"without a key": func(int) any { return &orders.OrdersCountersArgs{} },
	} {
		counts := map[string]int{}
		picker := New().GetPicker(r)
		for i := range n {
			counts[picker.Next(context.Background(), request(i)).Address().String()]++
		}
		for i, x := range r.Instances {
			p := float64(x.Weight()) / 60
			if off := math.Abs(float64(counts[x.Address().String()]) - n*p); off > 6*math.Sqrt(n*p*(1-p)) {
				t.Errorf("%s: server %d of weight %d gets %d of %d", name, i, x.Weight(), counts[x.Address().String()], n)
			}
		}
	}
}

// A call that could not be sent goes to every other server in turn before it comes back.
func TestNextInOrder(t *testing.T) {
	r := servers(10, 10, 10, 10)
	for name, request := range map[string]any{"with a key": call("anna"), "without a key": &orders.OrdersCountersArgs{}} {
		to := remoteinfo.NewRemoteInfo(&rpcinfo.EndpointBasicInfo{}, "get")
		ctx := rpcinfo.NewCtxWithRPCInfo(context.Background(), rpcinfo.NewRPCInfo(nil, to, nil, nil, nil))
		seen := map[string]int{}
		var last string
		for range r.Instances {
			x := New().GetPicker(r).Next(ctx, request)
			if x.Address().String() == last {
				t.Errorf("%s: %s twice", name, last)
			}
			last = x.Address().String()
			seen[last]++
			to.SetInstance(x)
		}
		if name == "with a key" && len(seen) != len(r.Instances) {
			t.Errorf("tried %v", seen)
		}
	}
	if x := New().GetPicker(servers()).Next(context.Background(), call("anna")); x != nil {
		t.Errorf("of no servers, %v", x)
	}
}
