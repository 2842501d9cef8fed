package thrift

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// A repeatNote may be sent twice.
type repeatNote struct{ note }

func (*repeatNote) MayRepeat() bool { return true }

// What is made again, and what is not.
func TestRetrierMakesCallsAgain(t *testing.T) {
	refused := &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	for name, c := range map[string]struct {
		err                 error
		once, again         int // attempts of calls that may not be carried out twice, and that may
		deadline, cancelled bool
	}{
		"the connection ends":        {err: fmt.Errorf("waiting for the answer: %w", io.EOF), once: 1, again: 3},
		"within an answer":           {err: io.ErrUnexpectedEOF, once: 1, again: 3},
		"a read that takes too long": {err: explainTimeout(os.ErrDeadlineExceeded, "read", time.Second), once: 1, again: 3},
		"no connection":              {err: notSent{refused}, once: 3, again: 3},
		"a server that goes away":    {err: notSent{errGoesAway}, once: 3, again: 3},
		"surely not read":            {err: notSent{io.EOF}, once: 3, again: 3},
		"the handler fails":          {err: &ApplicationException{InternalError, "x"}, once: 1, again: 1},
		"the handler runs late":      {err: &ApplicationException{Timeout, "x"}, once: 1, again: 1},
		"a bad answer":               {err: errors.New("answer: byte 7"), once: 1, again: 1},
		"info that is too long":      {err: notSent{errors.New("info")}, once: 1, again: 1},
		"a closed pool":              {err: notSent{errPoolClosed}, once: 1, again: 1},
		"a closed pipeline":          {err: notSent{errPipelineClosed}, once: 1, again: 1},
		"no time is left":            {err: notSent{refused}, once: 1, again: 1, deadline: true},
		"given up":                   {err: notSent{refused}, once: 1, again: 1, cancelled: true},
	} {
		for _, args := range []Body{new(note), new(repeatNote)} {
			want := c.once
			if _, ok := args.(*repeatNote); ok {
				want = c.again
			}
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if c.deadline {
					ctx, cancel = context.WithTimeout(ctx, time.Millisecond)
					defer cancel()
				}
				made := 0
				r := NewRetrier(RetryOptions{})
				err := r.Intercept(ctx, "f", args, new(note), func(context.Context, string, Body, Body) error {
					if made++; c.cancelled {
						cancel()
					}
					return c.err
				})
				if made != want || err != c.err {
					t.Errorf("%s, %T: %d attempts, want %d; %v", name, args, made, want, err)
				}
				if s := r.Stats(); s.Calls != 1 || s.Again != int64(want-1) {
					t.Errorf("%s: %+v", name, s)
				}
			})
		}
	}
}

// What fails again and again isn't sent three times as often.
func TestRetrierKeepsItsBudget(t *testing.T) {
	r := NewRetrier(RetryOptions{Backoff: -1})
	made := 0
	for range 1000 {
		_ = r.Intercept(t.Context(), "f", new(repeatNote), new(note), func(context.Context, string, Body, Body) error {
			made++
			return io.EOF
		})
	}
	if s := r.Stats(); made < 1100 || made > 1111 || s.Refused == 0 || s.Again != int64(made)-1000 {
		t.Errorf("%d attempts for 1000 calls, %+v", made, s)
	}
	none := NewRetrier(RetryOptions{Budget: -1})
	made = 0
	_ = none.Intercept(t.Context(), "f", new(repeatNote), new(note), func(context.Context, string, Body, Body) error {
		made++
		return io.EOF
	})
	if made != 1 {
		t.Errorf("%d attempts without a budget", made)
	}
}

// An attempt that hangs is overtaken by another, cancelled, and waited for.
func TestRetrierHedges(t *testing.T) {
	for _, hanging := range []int32{0, 1, 2, 3} {
		synctest.Test(t, func(t *testing.T) {
			r := NewRetrier(RetryOptions{Hedge: 20 * time.Millisecond})
			var made, running atomic.Int32
			var info Info
			ctx, cancel := context.WithTimeout(WithAnswerInfo(t.Context(), &info), time.Second)
			defer cancel()
			begin := time.Now()
			var answer note
			err := r.Intercept(ctx, "f", &repeatNote{note{Text: "x"}}, &answer, func(ctx context.Context, _ string, args, result Body) error {
				running.Add(1)
				defer running.Add(-1)
				n := made.Add(1)
				if n <= hanging {
					result.(*note).Text = "half an answer"
					<-ctx.Done()
					return ctx.Err()
				}
				*ctx.Value(answerInfoKey{}).(*Info) = Info{Strings: map[string]string{"attempt": fmt.Sprint(n)}}
				result.(*note).Text = args.(*repeatNote).Text
				return nil
			})
			took := time.Since(begin)
			if running.Load() != 0 {
				t.Errorf("%d attempts go on", running.Load())
			}
			if hanging == 3 {
				if !errors.Is(err, context.DeadlineExceeded) || took != time.Second || made.Load() != 3 {
					t.Errorf("%v after %v and %d attempts", err, took, made.Load())
				}
				return
			}
			if err != nil || answer.Text != "x" || took != time.Duration(hanging)*20*time.Millisecond || info.Strings["attempt"] != fmt.Sprint(hanging+1) {
				t.Errorf("%d hang: %q, %v, %v after %v", hanging, answer.Text, info, err, took)
			}
			if s := r.Stats(); s.Hedged != int64(hanging) {
				t.Errorf("%+v", s)
			}
		})
	}
}

// One attempt that fails at once doesn't wait for the time of the next; a failure beside another
// attempt waits for that.
func TestRetrierHedgesAndRepeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := NewRetrier(RetryOptions{Hedge: time.Second, Backoff: -1})
		made := 0
		begin := time.Now()
		err := r.Intercept(t.Context(), "f", new(repeatNote), new(note), func(context.Context, string, Body, Body) error {
			if made++; made < 3 {
				return io.EOF
			}
			return nil
		})
		if err != nil || made != 3 || time.Since(begin) != 0 {
			t.Errorf("%v, %d attempts in %v", err, made, time.Since(begin))
		}
		var n atomic.Int32
		begin = time.Now()
		err = r.Intercept(t.Context(), "f", new(repeatNote), new(note), func(context.Context, string, Body, Body) error {
			if n.Add(1) == 1 {
				time.Sleep(1500 * time.Millisecond)
				return nil
			}
			return io.EOF
		})
		if err != nil || time.Since(begin) != 1500*time.Millisecond {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
	})
}

// A server dies under calls: those that may be repeated all arrive, on others.
func TestRetrierOverAPool(t *testing.T) {
	noLeaks(t)
	slow := functions{"echo": func(_ context.Context, s string) (string, error) {
		time.Sleep(time.Millisecond)
		return s, nil
	}}
	dying := &Server{Processor: slow}
	p := pool(t, PoolOptions{Addresses: []string{serveOneOfSeveral(t, dying), serveOneOfSeveral(t, &Server{Processor: slow})}})
	r := NewRetrier(RetryOptions{Budget: 1, Attempts: 20})
	c := Intercept(p, r.Intercept)
	done := make(chan error)
	for range 4 {
		go func() {
			for i := range 100 {
				var answer note
				if err := c.Call(t.Context(), "echo", &repeatNote{note{Text: fmt.Sprint(i)}}, &answer); err != nil || answer.Text != fmt.Sprint(i) {
					done <- fmt.Errorf("call %d: %q, %w", i, answer.Text, err)
					return
				}
			}
			done <- nil
		}()
	}
	for dying.Stats().Calls < 50 {
		time.Sleep(time.Millisecond)
	}
	_ = dying.Close()
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
