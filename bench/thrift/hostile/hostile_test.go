package hostile

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// The processes that measure are this binary again.
func TestMain(m *testing.M) {
	if child, err := InChild(); child {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// measured runs an input in a process that survives.
func measured(t *testing.T, lib, name string) Result {
	t.Helper()
	r, died, err := Process(t.Context(), lib, input(t, name))
	if err != nil {
		t.Fatal(err)
	}
	if died != "" {
		t.Fatalf("%s, %s: %s", lib, name, died)
	}
	return r
}

func input(t *testing.T, name string) Input {
	t.Helper()
	for _, in := range Inputs {
		if in.Name == name {
			return in
		}
	}
	t.Fatalf("no input %q", name)
	panic("unreachable")
}

// The figures are only worth something if known costs are seen.
func TestKnownCosts(t *testing.T) {
	claim := measured(t, "kitex", "claim: 16M i64 in 8 bytes")
	if claim.Bytes != 8 || claim.Refused != 1 || claim.Memory < 120<<20 {
		t.Errorf("kitex allocates what is claimed, 128 MB for 8 bytes; measured %+v", claim)
	}
	cheap := measured(t, "apache", "recursion: 16 MB, a struct in a struct")
	if cheap.Bytes < 16<<20-8 || cheap.Refused != 1 || cheap.Memory > 1<<20 || !strings.Contains(cheap.Outcome, "depth") {
		t.Errorf("apache refuses depth at little cost; measured %+v", cheap)
	}
	flood := measured(t, "kitex", "flood: 1 MB of map entries")
	if flood.Refused+flood.Panics != 0 || flood.Memory < 1<<20 {
		t.Errorf("kitex accepts a large map; measured %+v", flood)
	}
}

func TestDeathIsReported(t *testing.T) {
	r, died, err := Process(t.Context(), "kitex", input(t, "recursion: 16 MB, a struct in a struct"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(died, "stack") || r.Resident < 256<<20 {
		t.Errorf("kitex dies of its stack; reported %q, %+v", died, r)
	}
}

func TestPanicIsReported(t *testing.T) {
	r := measured(t, "frugal", "claim: 16M i64 in 8 bytes")
	if r.Panics != 1 || !strings.Contains(r.Outcome, "panic") {
		t.Errorf("frugal panics; reported %+v", r)
	}
}

func TestUnknownNames(t *testing.T) {
	if _, err := decoder("protobuf", Inputs[0]); err == nil {
		t.Error("a library that does not exist is known")
	}
	if _, _, err := Process(t.Context(), "kitex", Input{Name: "no such input"}); err == nil {
		t.Error("an input that does not exist is measured")
	}
}

// An input is what it says: Apache's library, which has limits on depth and on what
// it allocates, reads the well formed ones and refuses the others.
func TestInputs(t *testing.T) {
	for _, in := range Inputs {
		t.Run(in.Name, func(t *testing.T) {
			messages := in.Make()
			if len(messages) == 0 {
				t.Fatal("no messages")
			}
			if in.Any {
				return // random ones make it allocate gigabytes
			}
			decode, err := decoder("apache", in)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range messages {
				if err, _ := guarded(decode, m); (err == nil) != in.Valid {
					t.Fatalf("%d bytes: %v", len(m), err)
				}
			}
		})
	}
}
