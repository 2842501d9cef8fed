package codec

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestParseUUID(t *testing.T) {
	const canonical = "01234567-89ab-cdef-0123-456789abcdef"
	for _, text := range []string{canonical, strings.ToUpper(canonical), "{" + canonical + "}", strings.ReplaceAll(canonical, "-", "")} {
		if u, err := ParseUUID(text); err != nil || u.String() != canonical {
			t.Errorf("%q: got %v, %v", text, u, err)
		}
	}
	for _, text := range []string{
		"", "{}", canonical[:35], canonical + "0", "{" + canonical, "g" + canonical[1:],
		"0123456-789ab-cdef-0123-456789abcdef", strings.Repeat("-", 36), strings.Repeat("x", 1<<20),
	} {
		if u, err := ParseUUID(text); err == nil || u != (UUID{}) || len(err.Error()) > 200 {
			t.Errorf("%.40q: got %v, %v", text, u, err)
		}
	}
}

func TestUUIDInJSON(t *testing.T) {
	type record struct {
		ID    UUID
		Names map[UUID]string
	}
	want := record{UUID{1, 0xAB}, map[UUID]string{{2}: "x"}}
	text, err := json.Marshal(want)
	if err != nil || !strings.Contains(string(text), `"ID":"01ab0000-0000-0000-0000-000000000000"`) {
		t.Errorf("got %s, %v", text, err)
	}
	var back record
	if err := json.Unmarshal(text, &back); err != nil || back.ID != want.ID || back.Names[UUID{2}] != "x" {
		t.Errorf("got %v, %v", back, err)
	}
	if err := json.Unmarshal([]byte(`{"ID":"short"}`), &back); err == nil || back.ID != want.ID {
		t.Errorf("got %v, %v", back, err)
	}
}

func FuzzParseUUID(f *testing.F) {
	f.Add("01234567-89ab-cdef-0123-456789abcdef")
	f.Add("{0123456789ABCDEF0123456789ABCDEF}")
	f.Fuzz(func(t *testing.T, text string) {
		u, err := ParseUUID(text)
		if err != nil {
			return
		}
		if back, err := ParseUUID(u.String()); err != nil || back != u {
			t.Errorf("%q is %v, which is read as %v, %v", text, u, back, err)
		}
	})
}
