package ring

import (
	"fmt"
	"hash/fnv"
	"os"
	"strings"
	"testing"
	"unsafe"
)

// The hash stands for the layout that the struct has, in both languages.
func TestLayout(t *testing.T) {
	var c control
	var s side
	text := fmt.Sprintf("control %d capacity %d written %d read %d reader %d writer %d state %d sleeps %d wakes %d dropped %d "+
		"record length:32 kind:32 align %d padding %d waits %d closed %d claimed %d",
		unsafe.Sizeof(c), unsafe.Offsetof(c.capacity), unsafe.Offsetof(c.written), unsafe.Offsetof(c.read), unsafe.Offsetof(c.reader), unsafe.Offsetof(c.writer),
		unsafe.Offsetof(s.state), unsafe.Offsetof(s.sleeps), unsafe.Offsetof(s.wakes), unsafe.Offsetof(s.dropped),
		headerSize, padding, waits, closed, claimed)
	if text != layoutText {
		t.Errorf("the layout is\n%s\nand layoutText says\n%s", text, layoutText)
	}
	h := fnv.New64a()
	h.Write([]byte(layoutText))
	if h.Sum64() != layoutHash {
		t.Errorf("layoutHash must be %#x", h.Sum64())
	}
	if unsafe.Sizeof(s) != 128 {
		t.Errorf("a side has %d bytes", unsafe.Sizeof(s))
	}
	// The header holds seam_ring_published_ to the same numbers.
	var p publication
	if unsafe.Sizeof(p) != 512 || unsafe.Offsetof(p.life) != 24 || unsafe.Offsetof(p.written) != 128 || unsafe.Offsetof(p.last) != 136 ||
		unsafe.Offsetof(p.oldest) != 256 || unsafe.Offsetof(p.state) != 384 || unsafe.Sizeof(seat{}) != 4096 || welcomeSize != helloSize {
		t.Error("publication isn't laid out as seam/publish.h says")
	}
	header, err := os.ReadFile("../include/seam/ring.h")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		fmt.Sprintf("#define SEAM_RING_LAYOUT_ %#xu\n", uint64(layoutHash)),
		fmt.Sprintf("#define SEAM_RING_MAGIC_ %#xu\n", uint64(magic)),
		fmt.Sprintf("#define SEAM_RING_VERSION_ %du\n", version),
		fmt.Sprintf("#define SEAM_RING_ABORTED_ %du ", aborted),
	} {
		if !strings.Contains(string(header), want) {
			t.Errorf("seam/ring.h must say %s", want)
		}
	}
}
