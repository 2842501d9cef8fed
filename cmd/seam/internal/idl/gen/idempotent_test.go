package gen

import (
	"strings"
	"testing"
)

// Functions with seam.idempotent have arguments of which a thrift.Retrier knows it, if they are none.
func TestMayRepeat(t *testing.T) {
	progs := load(t, map[string]string{"a.thrift": `service S {
	void a() (seam.idempotent)
	void b(1: i32 may_repeat) (seam.idempotent = "true")
	i32 c()
	i32 d(1: i32 n) (seam.idempotent = "false")
}`}, "a.thrift")
	files, err := Generate(progs, Options{PackagePrefix: "p"})
	if err != nil {
		t.Fatal(err)
	}
	text := string(files[0].Text)
	if n := strings.Count(text, ") MayRepeat() bool"); n != 2 {
		t.Errorf("%d methods, want 2, in\n%s", n, text)
	}
	for _, want := range []string{"func (p *sbArgs) MayRepeat() bool { return true }", "MayRepeat_ int32"} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
