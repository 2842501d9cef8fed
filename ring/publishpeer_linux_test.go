package ring

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/seamgo/seam/internal/child"
	"github.com/seamgo/seam/internal/testenv"
)

var publishBuilt struct {
	sync.Once
	dir string
	err error
}

// publishPeer returns the command that runs testdata/publish.c, compiled as C or as C++.
func publishPeer(t testing.TB, language string, args ...string) *exec.Cmd {
	t.Helper()
	return child.Program(t, filepath.Join(builtPublish(t), "publish-"+language), args...)
}

// builtPublish compiles publish.c and listen.c, as C and as C++, and returns where they are.
func builtPublish(t testing.TB) string {
	t.Helper()
	cc := compiler(t)
	cxx := strings.Fields(cmp.Or(os.Getenv("CXX"), "g++"))
	testenv.Tool(t, cxx[0])
	publishBuilt.Do(func() {
		b := &publishBuilt
		if b.dir, b.err = os.MkdirTemp("", "ring"); b.err != nil {
			return
		}
		for _, program := range []string{"publish", "listen"} {
			for language, line := range map[string][]string{
				"c":   append(cc[:len(cc):len(cc)], "-std=c11"),
				"c++": append(cxx[:len(cxx):len(cxx)], "-std=c++17", "-x", "c++"),
			} {
				line = append(line, filepath.Join("testdata", program+".c"), "-O1", "-Wall", "-Wextra", "-Werror", "-pthread", "-I../include",
					"-o", filepath.Join(b.dir, program+"-"+language))
				if out, err := exec.Command(line[0], line[1:]...).CombinedOutput(); err != nil && b.err == nil {
					b.err = fmt.Errorf("%v\n%s", err, out)
				}
			}
		}
	})
	if publishBuilt.err != nil {
		t.Fatal(publishBuilt.err)
	}
	return publishBuilt.dir
}

// running starts a program; what it returns is what that has said, once it has ended without an error.
func running(t testing.TB, cmd *exec.Cmd) (said func() string) {
	t.Helper()
	out := new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() }) // which has ended, if the test hasn't failed
	return func() string {
		t.Helper()
		if err := cmd.Wait(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return out.String()
	}
}

// A tally is what a subscriber has got and lost.
type tally struct{ got, lost uint64 }

func tallyOf(t *testing.T, said string) (c tally) {
	t.Helper()
	if _, err := fmt.Sscan(said, &c.got, &c.lost); err != nil {
		t.Fatalf("%q: %v", said, err)
	}
	return c
}

// tallied subscribes to the end.
func tallied(s *Subscriber) (c tally, err error) {
	var life, last uint64
	for {
		p, err := s.Next(forever)
		if err == io.EOF {
			if c.lost > s.Lost() {
				err = fmt.Errorf("%d are told to be lost, and then %d", c.lost, s.Lost())
				return c, err
			}
			c.lost = s.Lost()
			return c, nil
		}
		if err != nil {
			return c, err
		}
		fits := p.Number == last+p.Lost+1
		if p.Life != life {
			fits = p.Number <= p.Lost+1
		}
		if !fits || !bytes.Equal(p.Data, news(p.Number)) {
			return c, fmt.Errorf("record %d after %d, %d lost: %x", p.Number, last, p.Lost, p.Data)
		}
		c.got, c.lost, last, life = c.got+1, c.lost+p.Lost, p.Number, p.Life
	}
}

func (c tally) check(t *testing.T, who string, all uint64) {
	t.Helper()
	if c.got == 0 || c.got+c.lost != all {
		t.Errorf("%s: %d records and %d lost, of %d", who, c.got, c.lost, all)
	}
}

// waitFor waits for what other processes bring about.
func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("a minute has passed")
		}
	}
}

// What a publisher in one language publishes, readers in all of them get.
func TestPublishLanguages(t *testing.T) {
	const records = 20000
	for _, from := range []string{"go", "c", "c++"} {
		t.Run(from, func(t *testing.T) {
			path := at(t)
			var said [2]func() string
			for i, language := range []string{"c", "c++"} {
				said[i] = running(t, publishPeer(t, language, "subscribe", path, "now"))
			}
			ours := make(chan error, 1)
			var mine tally
			go func() {
				s, err := Subscribe(forever, path, SubscribeOptions{})
				if err == nil {
					mine, err = tallied(s)
					s.Close()
				}
				ours <- err
			}()
			if from == "go" {
				p := publisher(t, path, 1<<14)
				waitFor(t, func() bool { return p.Subscribers() == 3 })
				for n := range uint64(records) {
					p.Append(news(n + 1))
					if n%16 == 0 {
						p.Flush()
					}
				}
				p.Close()
			} else {
				publishes := running(t, publishPeer(t, from, "publish", path, "16384", "3", strconv.Itoa(records), "close"))
				defer publishes()
			}
			if err := <-ours; err != nil {
				t.Error(err)
			}
			mine.check(t, "go", records)
			tallyOf(t, said[0]()).check(t, "c", records)
			tallyOf(t, said[1]()).check(t, "c++", records)
		})
	}
}

// A publisher that is killed, and the next one: its readers find that, and know of each record of
// both whether they had it.
func TestStressKilledPublisher(t *testing.T) {
	rounds := stress(t, 6, 10000)
	path := at(t)
	said := running(t, publishPeer(t, "c", "subscribe", path, "now"))
	ours := make(chan error, 1)
	var mine tally
	go func() {
		s, err := Subscribe(forever, path, SubscribeOptions{})
		if err == nil {
			mine, err = tallied(s)
			s.Close()
		}
		ours <- err
	}()
	for i := range rounds {
		cmd := publishPeer(t, []string{"c", "c++"}[i%2], "publish", path, "8192", "2", "3000", "killed")
		err := cmd.Run()
		if exit, ok := err.(*exec.ExitError); !ok || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
			t.Fatal(err)
		}
	}
	if said := running(t, publishPeer(t, "c", "publish", path, "8192", "2", "1000", "close")); said() != "" {
		t.Error(said())
	}
	if err := <-ours; err != nil {
		t.Error(err)
	}
	all := uint64(3000*rounds + 1000)
	mine.check(t, "go", all)
	tallyOf(t, said()).check(t, "c", all)
}

// pythonPublishes returns the command that runs testdata/publish.py.
func pythonPublishes(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := pythonPeer(t, "")
	cmd.Args = append(cmd.Args[:1], append([]string{filepath.Join("testdata", "publish.py")}, args...)...)
	return cmd
}

func TestPublishPython(t *testing.T) {
	path := at(t)
	for _, role := range []string{"rules", "listens"} {
		if said := running(t, pythonPublishes(t, role, path))(); said != "" {
			t.Error(role, said)
		}
	}
	// Two publishers in Python, of which the first is killed, and one in Go.
	said := running(t, pythonPublishes(t, "subscribe", path, "now"))
	ours := make(chan error, 1)
	var mine tally
	go func() {
		s, err := Subscribe(forever, path, SubscribeOptions{})
		if err == nil {
			mine, err = tallied(s)
			s.Close()
		}
		ours <- err
	}()
	for range 2 {
		cmd := pythonPublishes(t, "publish", path, "8192", "2", "2000", "killed")
		err := cmd.Run()
		if exit, ok := err.(*exec.ExitError); !ok || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
			t.Fatal(err)
		}
	}
	p := publisher(t, path, 1<<13)
	waitFor(t, func() bool { return p.Subscribers() == 2 })
	for n := range uint64(2000) {
		p.Send(news(n + 1))
	}
	p.Close()
	if err := <-ours; err != nil {
		t.Error(err)
	}
	mine.check(t, "go", 6000)
	tallyOf(t, said()).check(t, "python", 6000)
}

// A publisher and readers in processes of C: what a record costs the publisher (ns/op), each reader
// (reader-ns, of its processor, for a record that it got), and how much of all a reader got.
func BenchmarkPublishProcess(b *testing.B) {
	for _, readers := range []int{1, 8} {
		for _, together := range []int{1, 64} {
			b.Run(fmt.Sprintf("readers=%d/together=%d", readers, together), func(b *testing.B) {
				path := at(b)
				said := make([]func() string, readers)
				for i := range said {
					said[i] = running(b, publishPeer(b, "c", "drink", path))
				}
				var each, cpu, got float64
				poured := running(b, publishPeer(b, "c", "pour", path, strconv.Itoa(readers), strconv.Itoa(b.N), strconv.Itoa(together)))()
				fmt.Sscan(poured, &each)
				for _, s := range said {
					var c, g float64
					fmt.Sscan(s(), &c, &g)
					cpu, got = cpu+c, got+g
				}
				b.ReportMetric(each, "ns/op")
				b.ReportMetric(cpu/float64(readers), "reader-ns")
				b.ReportMetric(100*got/float64(readers)/float64(b.N), "%got")
			})
		}
	}
}
