package thrift

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"math/big"
	"net"
	"testing"
	"time"
)

// An authority signs certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pool *x509.CertPool
}

func newAuthority(t *testing.T, name string) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	a := &authority{key: key, pool: x509.NewCertPool(), cert: &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}}
	der, err := x509.CreateCertificate(rand.Reader, a.cert, a.cert, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	a.pool.AddCert(a.cert)
	return a
}

// sign makes a certificate for a name.
func (a *authority) sign(t *testing.T, name string) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}, a.cert, key.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// serveTLS serves those whom an authority knows, by a function that says who calls.
func serveTLS(t *testing.T, a *authority, s *Server) (address string) {
	t.Helper()
	noLeaks(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	type peer struct{}
	s.BaseContext = func(c net.Conn) context.Context { return context.WithValue(context.Background(), peer{}, c) }
	s.Processor = functions{"echo": echo["echo"], "oneway": echo["echo"], "who": func(ctx context.Context, _ string) (string, error) {
		return ctx.Value(peer{}).(*tls.Conn).ConnectionState().PeerCertificates[0].Subject.CommonName, nil
	}}
	config := &tls.Config{Certificates: []tls.Certificate{a.sign(t, "server")}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: a.pool}
	done := make(chan struct{})
	go func() { defer close(done); _ = s.Serve(tls.NewListener(l, config)) }()
	t.Cleanup(func() { _ = s.Close(); <-done })
	return l.Addr().String()
}

func TestMutualTLS(t *testing.T) {
	ours, theirs := newAuthority(t, "ours"), newAuthority(t, "theirs")
	var lines logLines
	address := serveTLS(t, ours, &Server{Logger: lines.logger()})
	for _, c := range []struct {
		name   string
		config *tls.Config
		good   bool
	}{
		{"known", &tls.Config{RootCAs: ours.pool, ServerName: "server", Certificates: []tls.Certificate{ours.sign(t, "client")}}, true},
		{"TLS 1.2", &tls.Config{RootCAs: ours.pool, ServerName: "server", MaxVersion: tls.VersionTLS12, Certificates: []tls.Certificate{ours.sign(t, "client")}}, true},
		{"without a certificate", &tls.Config{RootCAs: ours.pool, ServerName: "server"}, false},
		{"signed by others", &tls.Config{RootCAs: ours.pool, ServerName: "server", Certificates: []tls.Certificate{theirs.sign(t, "client")}}, false},
		{"of another server", &tls.Config{RootCAs: ours.pool, ServerName: "other", Certificates: []tls.Certificate{ours.sign(t, "client")}}, false},
		{"of a server that others signed for", &tls.Config{RootCAs: theirs.pool, ServerName: "server", Certificates: []tls.Certificate{ours.sign(t, "client")}}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dials := 0
			p := pool(t, PoolOptions{Addresses: []string{address}, Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
				dials++
				return (&tls.Dialer{Config: c.config}).DialContext(ctx, network, address)
			}})
			for range 5 {
				if err := p.Call(t.Context(), "oneway", &note{Text: "x"}, nil); c.good && err != nil {
					t.Error(err)
				}
			}
			for range 5 {
				got, err := call(t.Context(), p, "who", "")
				if c.good != (err == nil) || c.good && got != "client" {
					t.Errorf("%q, %v", got, err)
				}
			}
			if c.good && dials != 1 {
				t.Errorf("%d connections, want 1", dials)
			}
		})
	}
	wantLog(t, &lines, "certificate")
}

func TestAConnectionThatTLSHasEnded(t *testing.T) {
	ours := newAuthority(t, "ours")
	s := &Server{Logger: new(logLines).logger(), IdleTimeout: time.Second} // time enough for a call, on a busy machine too
	address := serveTLS(t, ours, s)
	config := &tls.Config{RootCAs: ours.pool, ServerName: "server", Certificates: []tls.Certificate{ours.sign(t, "client")}}
	p := pool(t, PoolOptions{Addresses: []string{address}, Dial: (&tls.Dialer{Config: config}).DialContext})
	for range 2 {
		if got, err := call(t.Context(), p, "who", ""); got != "client" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
		for n := 1; n > 0; time.Sleep(time.Millisecond) {
			s.mu.Lock()
			n = len(s.conns)
			s.mu.Unlock()
		}
	}
}

// Who doesn't shake hands doesn't get the time of an idle connection.
func TestAHandshakeThatTakesTooLong(t *testing.T) {
	var lines logLines
	address := serveTLS(t, newAuthority(t, "ours"), &Server{Logger: lines.logger(), ReadTimeout: 20 * time.Millisecond})
	for _, begin := range []string{"", "\x16\x03\x01", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"} {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Write([]byte(begin)); err != nil {
			t.Error(err)
		}
		_, _ = io.Copy(io.Discard, conn) // until the server hangs up
		_ = conn.Close()
	}
	wantLog(t, &lines, "TLS handshake took longer than 20ms (Server.ReadTimeout)")
}

func TestShutdownDuringAHandshake(t *testing.T) {
	s := &Server{Logger: new(logLines).logger()}
	address := serveTLS(t, newAuthority(t, "ours"), s)
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for n := 0; n == 0; time.Sleep(time.Millisecond) {
		s.mu.Lock()
		n = len(s.conns)
		s.mu.Unlock()
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}
