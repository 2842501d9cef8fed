package thrift

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"time"
)

// A SASLMechanism is a client's part of one way to say who it is, for one connection.
type SASLMechanism interface {
	// Name is what servers know the mechanism by, as PLAIN.
	Name() string
	// Next returns the answer to what the server says. The first time it has said nothing, and
	// challenge is nil. What it says when it accepts is passed too, unless that is nothing; the
	// answer is dropped then.
	Next(challenge []byte) (answer []byte, err error)
}

// SASLPlain returns the mechanism PLAIN, which sends a name and a password as they are: use it over
// TLS, or where the password is worth nothing, as for a server of Hive's that asks for any.
func SASLPlain(user, password string) SASLMechanism { return &saslPlain{user, password} }

type saslPlain struct{ user, password string }

func (*saslPlain) Name() string { return "PLAIN" }

func (p *saslPlain) Next(challenge []byte) ([]byte, error) {
	switch {
	case challenge != nil:
		return nil, errors.New("the server asks for more, which PLAIN doesn't have")
	case p.user == "":
		return nil, errors.New("PLAIN needs a user")
	}
	for _, s := range []string{p.user, p.password} {
		for _, c := range []byte(s) {
			if c == 0 {
				return nil, errors.New("PLAIN has no byte 0 in a user or a password")
			}
		}
	}
	return []byte("\x00" + p.user + "\x00" + p.password), nil
}

// DialSASL returns a Dial for [PoolOptions] and [PipelineOptions] that says by SASL who the client
// is, as servers of Hive, Impala and HBase have it (Apache's TSaslTransport). mechanism is called
// for each connection, with its address. dial makes connections; nil: the method of that name of a
// net.Dialer. Messages are [Framed] then, which is the default. They are sent as they are: what a
// mechanism may negotiate to sign or to encrypt them (auth-int and auth-conf) isn't supported.
func DialSASL(mechanism func(address string) (SASLMechanism, error), dial func(ctx context.Context, network, address string) (net.Conn, error)) func(ctx context.Context, network, address string) (net.Conn, error) {
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		m, err := mechanism(address)
		if err != nil {
			return nil, fmt.Errorf("thrift: SASL for %s: %w", address, err)
		}
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		if err := negotiate(ctx, conn, m); err != nil {
			_ = conn.Close()
			return nil, fmt.Errorf("thrift: SASL %s with %s: %w", m.Name(), address, err)
		}
		return conn, nil
	}
}

// What a message of the negotiation is.
const (
	saslStart    = 1 // with the name of the mechanism
	saslOK       = 2
	saslBad      = 3 // with a text
	saslError    = 4
	saslComplete = 5

	mostSASL      = 1 << 20 // bytes of a message; tickets of Kerberos have some ten thousand
	mostSASLSteps = 100
)

// errSASL is why a server doesn't let a client in.
var errSASL = errors.New("the server refuses")

// negotiate is the client's part of what precedes the messages of a connection.
func negotiate(ctx context.Context, conn net.Conn, m SASLMechanism) (err error) {
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(past) })
	defer func() {
		switch {
		case !stop():
			err = ctx.Err()
		case err == nil:
			err = conn.SetDeadline(time.Time{})
		}
	}()
	answer, err := m.Next(nil)
	if err != nil {
		return err
	}
	if _, err := conn.Write(appendSASL(appendSASL(nil, saslStart, []byte(m.Name())), saslOK, answer)); err != nil {
		return err
	}
	for range mostSASLSteps {
		status, said, err := readSASL(conn)
		switch {
		case err != nil:
			return err
		case status == saslBad || status == saslError:
			return fmt.Errorf("%w: %q", errSASL, said)
		case status == saslComplete && len(said) == 0:
			return nil
		case status != saslComplete && status != saslOK:
			return fmt.Errorf("the server has sent status %d, which there isn't: does it speak SASL?", status)
		}
		answer, err := m.Next(said)
		if err != nil {
			if status == saslOK {
				_, _ = conn.Write(appendSASL(nil, saslBad, []byte("the client gives up")))
			}
			return err
		}
		if status == saslComplete {
			return nil
		}
		if _, err := conn.Write(appendSASL(nil, saslOK, answer)); err != nil {
			return err
		}
	}
	return fmt.Errorf("the server has not come to an end in %d steps", mostSASLSteps)
}

func appendSASL(b []byte, status byte, payload []byte) []byte {
	b = append(b, status)
	b = binary.BigEndian.AppendUint32(b, uint32(len(payload)))
	return append(b, payload...)
}

// readSASL reads a message, and nothing behind it. What it says is never nil.
func readSASL(conn net.Conn) (status byte, said []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(conn, head[:]); err != nil {
		return 0, nil, fmt.Errorf("waiting for the server: %w", err)
	}
	n := binary.BigEndian.Uint32(head[1:])
	if n > mostSASL {
		return 0, nil, fmt.Errorf("a message of %d bytes (at most %d): does the server speak SASL? It begins with %q", n, mostSASL, head)
	}
	said = make([]byte, n)
	if _, err := io.ReadFull(conn, said); err != nil {
		return 0, nil, fmt.Errorf("within what the server says: %w", err)
	}
	return head[0], said, nil
}
