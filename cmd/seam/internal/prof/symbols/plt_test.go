package symbols

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seamgo/seam/internal/testenv"
)

const callsOthers = `
#include <math.h>
#include <stdio.h>
#include <stdexcept>
#include <string.h>
double (*volatile pointed)(double) = cos; // with a call, this is a stub in .plt.got
int main(int n, char **a) {
	char b[64];
	try {
		memset(b, n, strlen(a[0]) % 64);
		snprintf(b, sizeof b, "%f", cos(n) + pow(n, pointed(n)));
		if (n > 9)
			throw std::runtime_error(b);
	} catch (std::exception &) {}
	return puts(b);
}
`

// Stubs have the names that objdump gives them, whatever the linker makes of them; the rest of a
// PLT is [plt]. A symbol without a size, as _init, ends with its section, so it is not theirs.
func TestPLT(t *testing.T) {
	t.Parallel()
	label := regexp.MustCompile(`(?m)^([0-9a-f]+) <(\S+)@plt>:`)
	for _, c := range []struct{ prefix, flags string }{
		{"", ""}, {"", "-Wl,-z,lazy"}, {"", "-fcf-protection=full -Wl,-z,lazy,-z,ibtplt"}, {"", "-fcf-protection=full -Wl,-z,now,-z,ibtplt"}, {"", "-no-pie -Wl,-z,now"}, {"", "-s"}, {"", "-static"},
		{"aarch64-linux-gnu-", ""}, {"aarch64-linux-gnu-", "-Wl,-z,lazy,-z,force-bti,-z,pac-plt"}, {"aarch64-linux-gnu-", "-static"},
	} {
		t.Run(c.prefix+c.flags, func(t *testing.T) {
			compiler, objdump := testenv.Tool(t, c.prefix+"g++"), testenv.Tool(t, c.prefix+"objdump")
			dir := t.TempDir()
			name := filepath.Join(dir, "p")
			if err := os.WriteFile(name+".cc", []byte(callsOthers), 0o600); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command(compiler, append(strings.Fields(c.flags), "-O2", "-fno-builtin", "-o", name, name+".cc", "-lm")...).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			text, err := exec.Command(objdump, "-d", name).Output()
			if err != nil {
				t.Fatal(err)
			}
			m, err := Open(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range label.FindAllStringSubmatch(string(text), -1) {
				at, err := strconv.ParseUint(l[1], 16, 64)
				if err != nil {
					t.Fatal(err)
				}
				for _, in := range []uint64{0, 4, 6, 7} {
					got := m.symbol(at + in)
					if want, _, _ := strings.Cut(l[2], "@"); got != want+"@plt" { // without its version
						t.Errorf("%#x: %q, want %s@plt", at+in, got, want)
					}
				}
			}
			var met []string
			f, err := elf.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			for _, s := range f.Sections {
				for at := s.Addr; strings.HasPrefix(s.Name, ".plt") && at < s.Addr+s.Size; at++ {
					got := m.symbol(at)
					if got != "[plt]" && !strings.HasSuffix(got, "@plt") {
						t.Fatalf("%#x in %s is %q", at, s.Name, got)
					}
					met = append(met, got)
				}
				if s.Name == ".init" && c.flags != "-s" && m.symbol(s.Addr+s.Size-1) != "_init" {
					t.Errorf("the end of .init is %q", m.symbol(s.Addr+s.Size-1))
				}
			}
			want := []string{"cos@plt", "snprintf@plt", "_ZNSt13runtime_errorC1EPKc@plt"}
			if strings.Contains(c.flags, "-static") { // objdump names none of these
				want = []string{"strlen@plt"}
			}
			for _, w := range want {
				if !slices.Contains(met, w) {
					t.Errorf("no %s among %q", w, slices.Compact(met))
				}
			}
		})
	}
}
