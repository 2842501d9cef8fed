package gen

import (
	"strings"
	"testing"
)

func TestShardKey(t *testing.T) {
	for args, want := range map[string]string{
		`1: string user`:        `ShardKey() string { return p.User }`,
		`1: i32 n, 2: i64 user`: `ShardKey() string { return strconv.FormatInt(int64(p.User), 10) }`,
		`1: binary user`:        `ShardKey() string { return string(p.User) }`,
	} {
		progs := load(t, map[string]string{"a.thrift": `service S { void f(` + args + `) (seam.shard = "user") void g(` + args + `) }`}, "a.thrift")
		for _, opt := range []Options{{}, {Kitex: true}} {
			opt.PackagePrefix = "p"
			files, err := Generate(progs, opt)
			if err != nil {
				t.Fatal(err)
			}
			if text := string(files[0].Text); !strings.Contains(text, want) || strings.Count(text, "ShardKey()") != 1 {
				t.Errorf("%s: no %q, or more than that, in\n%s", args, want, text)
			}
		}
	}
}

// An argument may have the method's name.
func TestShardKeyOfThatName(t *testing.T) {
	progs := load(t, map[string]string{"a.thrift": `service S { void f(1: string shard_key) (seam.shard = "shard_key") }`}, "a.thrift")
	files, err := Generate(progs, Options{PackagePrefix: "p"})
	if err != nil {
		t.Fatal(err)
	}
	if want := `ShardKey() string { return p.ShardKey_ }`; !strings.Contains(string(files[0].Text), want) {
		t.Errorf("no %q in\n%s", want, files[0].Text)
	}
}
