//seam:test race

package main

import (
	"strings"
	"testing"
)

// A function to each kind of contract, and those of which nothing is written: a reference more, text that
// is changed and returned, static text, data of the user.
func Test(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	if err := write(&b, []string{"testdata/Lib-1.0.gir"}); err != nil {
		t.Fatal(err)
	}
	_, got, _ := strings.Cut(b.String(), "\n")
	want := `lib_box_unref: frees=0
lib_box_dup_name: new=g_free
lib_box_list: new=g_strfreev
lib_door_peek: new=gst_object_unref,g_object_unref
lib_box_get_name: static
lib_box_add: takes=1
lib_box_new: uses new=lib_box_unref
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if err := write(&b, []string{"gir_test.go"}); err == nil || !strings.Contains(err.Error(), "gir_test.go is no .gir file") {
		t.Errorf("a Go file: %v", err)
	}
}
