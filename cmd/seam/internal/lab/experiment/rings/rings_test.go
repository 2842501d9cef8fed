//seam:test race nocgo

package rings

import (
	"os"
	"strings"
	"testing"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
	"github.com/seamgo/seam/cmd/seam/internal/lab/labtest"
	"github.com/seamgo/seam/cmd/seam/internal/lab/progcache"
	"github.com/seamgo/seam/cmd/seam/internal/lab/result"
)

func init() { progcache.Patient = true }

func TestMain(m *testing.M) { os.Exit(labtest.InOwnCache(m)) }

// Other tools and stored results refer to these names.
func TestNamesAreFixed(t *testing.T) {
	for mode, sizes := range map[lab.Mode]string{lab.Quick: "64", lab.Normal: "8 64 1024 65536", lab.Full: "8 64 1024 65536"} {
		var want []string
		for _, place := range []struct{ name, throughput, spin, park string }{
			{"mode=inproc/peer=go", "channel seam seam/batch=1", "line lines seam", "channel seam"},
			{"mode=inproc/peer=c", "boost boost/batch=1 seam seam/batch=1", "", ""},
			{"mode=xproc/peer=go", "unix pipe seam seam/batch=1 shmipc shmipc/batch=1", "line lines seam", "unix pipe seam shmipc"},
			{"mode=xproc/peer=c", "unix pipe seam seam/batch=1", "line lines seam", "unix pipe seam"},
			{"mode=xproc/peer=python", "unix seam seam/batch=1", "seam", "unix seam"},
		} {
			for _, op := range []struct{ name, vias string }{{"throughput", place.throughput}, {"rtt-spin", place.spin}, {"rtt-park", place.park}} {
				for size := range strings.FieldsSeq(sizes) {
					for via := range strings.FieldsSeq(op.vias) {
						want = append(want, "Ring/"+place.name+"/size="+size+"/op="+op.name+"/via="+via)
					}
				}
			}
		}
		for _, peer := range []string{"go", "c", "python"} {
			want = append(want, "Ring/mode=xproc/peer="+peer+"/size=64/op=latency")
		}
		for _, peer := range []string{"go", "c"} {
			place := "Ring/mode=xproc/peer=" + peer
			want = append(want, place+"/size=64/op=rtt/rate=100", place+"/size=64/op=rtt/rate=1000", place+"/what=idle/via=seam")
		}
		for _, name := range []string{
			"inproc/peer=c/size=64/op=throughput/via=seam/beside=boost", "inproc/peer=c/size=64/op=throughput/via=seam/inplace/beside=boost", "inproc/peer=c/size=64/op=throughput/via=seam/batch=1/beside=boost/batch=1",
			"xproc/peer=go/size=64/op=throughput/via=seam/beside=inproc", "xproc/peer=go/size=64/op=throughput/via=seam/beside=inproc/pinned",
			"xproc/peer=c/size=64/op=throughput/via=seam/beside=inproc", "xproc/peer=c/size=64/op=throughput/via=seam/beside=inproc/pinned",
			"inproc/peer=go/size=64/op=rtt-spin/via=seam/beside=line", "xproc/peer=go/size=64/op=rtt-spin/via=seam/beside=line",
			"xproc/peer=c/size=64/op=rtt-spin/via=seam/beside=line",
			"inproc/peer=go/size=64/op=rtt-spin/via=seam/ring=4096/beside=line", "xproc/peer=go/size=64/op=rtt-spin/via=seam/ring=4096/beside=line",
			"xproc/peer=c/size=64/op=rtt-spin/via=seam/ring=4096/beside=line",
			"inproc/peer=go/size=64/op=rtt-spin/via=lines/beside=line", "xproc/peer=go/size=64/op=rtt-spin/via=lines/beside=line",
			"xproc/peer=c/size=64/op=rtt-spin/via=lines/beside=line",
		} {
			want = append(want, "Ring/mode="+name)
		}
		var got []string
		bases := map[string]int{}
		for _, c := range Experiment.Cases(mode) {
			got = append(got, c.Name)
			if c.Label == "" || (c.Start == nil) == (c.Probe == nil) {
				t.Errorf("bad case %+v", c)
			}
			if c.Base {
				bases[c.Group]++
			}
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%v: cases are\n%s\nwant\n%s", mode, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		for group, n := range bases {
			if n != 1 {
				t.Errorf("group %q has %d bases", group, n)
			}
		}
	}
}

func TestExplainCopesWithMissingSeries(t *testing.T) {
	none := &result.Experiment{}
	explain(none)
	labtest.SaysNothing(t, none)
	for _, c := range Experiment.Cases(lab.Quick) {
		if c.Start != nil {
			explain(&result.Experiment{Series: []result.Series{{Name: c.Name, Unit: unitTime, Label: c.Label, Median: 100, Lo: 90, Hi: 110}}})
		}
	}
}
