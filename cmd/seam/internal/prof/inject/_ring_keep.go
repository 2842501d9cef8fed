package ring

import (
	"os"
	"syscall"
)

// A keptFile is opened each time that something is added, since programs close descriptors that
// they don't know, and use their numbers for others. One descriptor stays open all the same, for
// programs that can't open it any more: after a chroot or a change of user, without a descriptor
// left, in a sandbox.
type keptFile struct {
	name string
	fd   int // -1: none
	is   syscall.Stat_t
}

// keep makes a file of each kind.
func keep(name string, kinds ...string) map[string]*keptFile {
	files := map[string]*keptFile{}
	for _, kind := range kinds {
		k := &keptFile{name: name + kind, fd: -1}
		files[kind] = k
		f, err := k.open()
		if err != nil {
			continue // adding will say so
		}
		// A number that the program is unlikely to take, or to close one by one.
		for _, least := range []uintptr{500, 100, 10} {
			fd, _, errno := syscall.Syscall(syscall.SYS_FCNTL, f.Fd(), syscall.F_DUPFD_CLOEXEC, least)
			if errno != syscall.EINVAL { // else the limit is lower
				if errno == 0 && syscall.Fstat(int(fd), &k.is) == nil {
					k.fd = int(fd)
				}
				break
			}
		}
		f.Close()
	}
	return files
}

func (k *keptFile) open() (*os.File, error) {
	return os.OpenFile(k.name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
}

func (k *keptFile) add(text []byte) error {
	f, err := k.open()
	if err == nil {
		_, err = f.Write(text)
		if e := f.Close(); err == nil {
			err = e
		}
		return err
	}
	var is syscall.Stat_t
	if k.fd < 0 || syscall.Fstat(k.fd, &is) != nil || is.Dev != k.is.Dev || is.Ino != k.is.Ino {
		return err
	}
	for len(text) > 0 {
		n, err := syscall.Write(k.fd, text)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return &os.PathError{Op: "write", Path: k.name, Err: err}
		}
		text = text[n:]
	}
	return nil
}
