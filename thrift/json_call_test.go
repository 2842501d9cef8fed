package thrift

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestHeaderInJSON(t *testing.T) {
	for in, want := range map[string]MessageHeader{
		`[1,"ping",1,7,`: {Name: []byte("ping"), Type: CallMessage, Seq: 7},
		"[ 1 ,\t\"a\\u0062:\u00e4\" , 4\n,-1\r, ": {Name: []byte("ab:ä"), Type: OnewayMessage, Seq: -1},
		`["1","",2,"2147483647",`:                 {Type: ReplyMessage, Seq: 1<<31 - 1},
	} {
		want.Protocol = JSON
		h, n, err := ParseMessageHeader([]byte(in))
		if err != nil || n != strings.LastIndexByte(in, ',')+1 || string(h.Name) != string(want.Name) || h.Type != want.Type || h.Seq != want.Seq || h.Protocol != JSON {
			t.Errorf("%s: %+v, %d, %v", in, h, n, err)
		}
		for cut := range n {
			if _, _, err := ParseMessageHeader([]byte(in[:cut])); err == nil {
				t.Errorf("%q is no header", in[:cut])
			}
		}
	}
	for _, name := range []string{"", "get", "users:get", "\"\\\x00", "ä€😀"} {
		b := AppendMessageHeader([]byte("x"), JSON, name, ExceptionMessage, -5)
		h, n, err := ParseMessageHeader(b[1:])
		if err != nil || n != len(b)-1 || string(h.Name) != name || h.Type != ExceptionMessage || h.Seq != -5 {
			t.Errorf("%q: %+v, %d, %v", name, h, n, err)
		}
	}
	if b := AppendMessageHeader(nil, JSON, "\xff", CallMessage, 1); string(b) != "[1,\"\ufffd\",1,1," {
		t.Errorf("a name that is not UTF-8: %s", b)
	}
	for _, in := range []string{"[1,2", "[0,\"f\",", "[99999999999,", `[1,"f",300,1,`, `[1,"f",-1,1,`, `[1,"f",1,2147483648,`, `[1,"f",1,1}`, "[[", `[1,"\x`} {
		if _, _, err := ParseMessageHeader([]byte(in)); err == nil || strings.Contains(err.Error(), "unexpected end") {
			t.Errorf("%s: %v", in, err)
		}
	}
}

// A message that is larger than may be is answered if it says what it is; brackets and quotes
// within strings count for nothing.
func TestEndOfAMessageInJSON(t *testing.T) {
	limits := Limits{Message: 200}
	for in, want := range map[string]string{
		`[1,"f",1,1,{"1":{"str":"]}\"[\\\\"}}]`:                "",
		`[1,"f",1,1,{"9":[[[[]]]]}]`:                           "",
		`[1,"f",1,1,{]}`:                                       "",
		`[1,"f",1,1,` + strings.Repeat("[", 300):               "Limits.Message",
		`[1,"f",1,1,{"1":{"str":"` + strings.Repeat("x", 300):  "Limits.Message",
		`[1,"f",1,1,{"1":{"str":"` + strings.Repeat("\\", 300): "Limits.Message",
		`[1,"` + strings.Repeat("x", 300):                      "unexpected end",
		`[1]`:                                                  "expected",
		`[]`:                                                   "number",
		`[1,"f"]`:                                              "expected",
	} {
		for _, n := range []int{1, 3, len(in)} {
			end, ok, err := scanBytes([]byte(in), n, limits)
			if want == "" && (!ok || err != nil || end != len(in)) || want != "" && want != "unexpected end" && (ok || err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%.40s, %d at a time: %d, %v, %v", in, n, end, ok, err)
			}
		}
	}
}

func TestAnswersOfAnotherProtocol(t *testing.T) {
	for _, p := range protocols {
		for _, q := range protocols {
			t.Run(p.String()+"/"+q.String(), func(t *testing.T) {
				client := puppet(t, p, func([]byte) []byte { return reply(q, ExceptionMessage, "f", 1, exceptionIn(q)...) })
				_, err := call(t.Context(), client, "f", "")
				var e *ApplicationException
				if same := p == q || p <= OldBinary && q <= OldBinary; errors.As(err, &e) != same {
					t.Errorf("call in %v, answer in %v: %v", p, q, err)
				}
			})
		}
	}
}

func exceptionIn(p Protocol) []byte { return (&ApplicationException{Message: "x"}).append(nil, p) }

// Whatever stands in a message, the connection goes on, since its end was found.
func TestLiesInJSON(t *testing.T) {
	s := &Server{Processor: functions{"echo": func(context.Context, string) (string, error) {
		t.Error("the handler was called")
		return "", nil
	}}, Decode: Options{Limits: Limits{Message: 1 << 20}}}
	conn := NewConn(pipe(t, s), ConnOptions{Framing: Buffered})
	for body, want := range map[string]string{
		`{"1":{"str":5}}`:                      "expected",
		`{"1":{"i32":1}} {}`:                   "expected",
		`[` + strings.Repeat("[]", 1000) + `]`: "expected",
		`{"x":{"str":"x"}}`:                    "a field's number",
		`{"99999":{"str":"x"}}`:                "a field's number",
		`{"1":{"str":"x"}` + strings.Repeat(`,"5":{"rec":{}}`, 100) + "]": "expected",
	} {
		go func() { _ = conn.WriteMessage(t.Context(), []byte("1234"+`[1,"echo",1,5,`+body+"]")) }()
		msg, err := conn.ReadMessage(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		h, n, err := ParseMessageHeader(msg)
		var e ApplicationException
		if err == nil {
			err = e.parse(msg[n:], h.Protocol, Limits{})
		}
		if err != nil || h.Type != ExceptionMessage || h.Seq != 5 || h.Protocol != JSON || e.Type != ProtocolError || !strings.Contains(e.Message, want) {
			t.Errorf("%s: %+v %+v, %v", body, h, e, err)
		}
	}
}

// A flood of brackets is kept as far as the limit, and answered.
func TestFloodOfJSON(t *testing.T) {
	s := &Server{Processor: echo, Decode: Options{Limits: Limits{Message: 1 << 16}}, Logger: new(logLines).logger()}
	raw := pipe(t, s)
	go func() { _, _ = io.WriteString(raw, `[1,"echo",1,5,`+strings.Repeat("[", 1<<17)) }()
	msg, err := NewConn(raw, ConnOptions{Framing: Buffered}).ReadMessage(t.Context())
	if err != nil || !strings.Contains(string(msg), "Limits.Message") {
		t.Errorf("%q, %v", msg, err)
	}
}

func TestNoTTHeaderForJSON(t *testing.T) {
	for _, f := range []Framing{TTHeader, THeader} {
		c := NewConn(nil, ConnOptions{Framing: f})
		b := AppendMessageHeader(make([]byte, Headroom), JSON, "f", CallMessage, 1)
		wantError(t, c.WriteMessage(t.Context(), b), f.String())
	}
}

func TestNoStreamOfJSON(t *testing.T) {
	wantError(t, NewDecoder(strings.NewReader("{}"), StreamOptions{Protocol: JSON}).Decode(nil), "JSON")
	wantError(t, NewEncoder(io.Discard, JSON).Encode(nil), "JSON")
}
