package ring

import (
	"bufio"
	"encoding/binary"
	"internal/poll"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// listen waits for seam prof --pid. The socket is an abstract one: it has no file, so nothing
// stays when the program is killed. Who connects is asked of the kernel, and refused if it is
// another user.
func listen() {
	s, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, 0)
	if err != nil {
		return
	}
	// Another process of this number, in another namespace for them, may have the name.
	if syscall.Bind(s, &syscall.SockaddrUnix{Name: "@seam-prof-" + strconv.Itoa(os.Getpid())}) != nil || syscall.Listen(s, 4) != nil {
		syscall.Close(s)
		return
	}
	l := &poll.FD{Sysfd: s, IsStream: true}
	if l.Init("unix", true) != nil {
		syscall.Close(s)
		return
	}
	go func() {
		for {
			c, _, _, err := l.Accept()
			if err == syscall.EBADF || err == syscall.ENOTSOCK || err == syscall.EINVAL {
				return // the program has closed what it doesn't know
			}
			if err != nil {
				time.Sleep(time.Second) // no descriptor is left, for now
				continue
			}
			conn := &poll.FD{Sysfd: c, IsStream: true, ZeroReadIsEOF: true}
			if conn.Init("unix", true) != nil {
				syscall.Close(c)
				continue
			}
			serve(conn, c)
			conn.Close()
		}
	}()
}

// serve takes one line, the rate, and answers with a line; "ok" is followed by profiles, each
// behind the length of its kind's name and that name. They end when the other side closes its
// half of the connection, or is gone. One at a time is served.
func serve(conn *poll.FD, s int) {
	say := func(text string) { write(conn, []byte(text+"\n")) }
	peer, err := syscall.GetsockoptUcred(s, syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	if err != nil || int(peer.Uid) != os.Geteuid() && peer.Uid != 0 {
		say("this process belongs to another user")
		return
	}
	conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	line, err := bufio.NewReaderSize(io.LimitReader(reader{conn}, 64), 64).ReadString('\n')
	if err != nil {
		return
	}
	hz, err := strconv.Atoi(strings.TrimSuffix(line, "\n"))
	if err != nil || hz <= 0 || hz > 10000 {
		say("this program and seam prof are of different versions: build it again")
		return
	}
	said := make(chan struct{})
	lost := make(chan struct{}, 3)
	end, err := begin(hz, func(kind string, cpu int64, profile []byte) error {
		<-said
		head := append(binary.LittleEndian.AppendUint64(nil, uint64(len(kind))), kind...)
		return write(conn, append(head, block(cpu, profile)...))
	}, func(error) { lost <- struct{}{} })
	if err != nil {
		say(err.Error())
		return
	}
	say("ok")
	close(said)
	conn.SetReadDeadline(time.Time{})
	go func() {
		var b [1]byte
		for {
			if _, err := conn.Read(b[:]); err != nil {
				break
			}
		}
		lost <- struct{}{}
	}()
	<-lost
	end()
}

// write gives up a reader that doesn't read.
func write(conn *poll.FD, text []byte) error {
	conn.SetWriteDeadline(time.Now().Add(10 * time.Second))
	_, err := conn.Write(text)
	return err
}

type reader struct{ *poll.FD }
