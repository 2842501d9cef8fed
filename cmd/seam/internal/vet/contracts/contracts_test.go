//seam:test race

package contracts

import (
	"slices"
	"strings"
	"testing"
)

// Every line of the data can be read, and no name stands in two lines of a file, or in two libraries.
func TestData(t *testing.T) {
	files, err := data.ReadDir("data")
	if err != nil || len(files) < 8 {
		t.Fatalf("%d files (%v)", len(files), err)
	}
	library := map[string]string{}
	for _, f := range files {
		text, err := data.ReadFile("data/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		own, _, _ := strings.Cut(f.Name(), ".")
		n, seen := 0, map[string]bool{}
		if err := read(f.Name(), string(text), func(name string, c *Contract) {
			n++
			if seen[name] {
				t.Errorf("%s: %s stands there twice", f.Name(), name)
			}
			seen[name] = true
			if other := library[name]; other != "" && other != own {
				t.Errorf("%s: %s stands in %s too: one of the two is lost", f.Name(), name, other)
			}
			library[name] = own
			for _, by := range c.New {
				if strings.Contains(by, "*") {
					t.Errorf("%s: %s is freed by a pattern", f.Name(), name)
				}
			}
		}); err != nil || n == 0 {
			t.Errorf("%s: %d names (%v)", f.Name(), n, err)
		}
	}
}

func TestOf(t *testing.T) {
	if c := Of("gst_element_class_set_static_metadata"); c == nil || !slices.Equal(c.Keeps, []int{1, 2, 3, 4}) || c.Library != "glib" {
		t.Errorf("GStreamer's static metadata: %+v", c)
	}
	if c := Of("g_param_spec_int"); c == nil || !c.Uses {
		t.Errorf("a pattern: %+v", c)
	}
	if c := Of("gst_element_factory_make"); c == nil || !c.Null || !c.Uses {
		t.Errorf("by hand that it may return NULL, from introspection that it copies the names: %+v", c)
	}
	if c := Of("g_getenv"); c == nil || !c.Static || len(c.New) > 0 {
		t.Errorf("by hand and from introspection: %+v", c)
	}
	if c := Of("gst_buffer_append"); c == nil || !slices.Equal(c.Takes, []int{0, 1}) {
		t.Errorf("arguments that are taken over, from introspection alone: %+v", c)
	}
	if c := Of("gst_bin_get_by_name"); c == nil || !slices.Equal(c.New, []string{"gst_object_unref", "g_object_unref"}) {
		t.Errorf("a reference that is handed over: %+v", c)
	}
	if c := Of("cudaFreeHost"); c == nil || !slices.Equal(c.Frees, []int{0}) || c.Library != "cuda" {
		t.Errorf("CUDA's memory of the host: %+v", c)
	}
	if c := Of("cudaMemcpyAsync"); c != nil {
		t.Errorf("what a stream reads later: %+v", c)
	}
	if c := Of("lib_nobody_knows"); c != nil {
		t.Errorf("a function that nobody knows: %+v", c)
	}
}

// What is written wrong is an error, and says where.
func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"f new=g":     "line 1 has no colon",
		"\nf: freed":  "line 2: freed is no word",
		"f: frees=x":  "x is no argument",
		"f: static=1": "a value too many",
		"f: frees":    "a value too many, or none",
		"[: null":     "syntax error",
	} {
		if err := read("", text, func(string, *Contract) {}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
