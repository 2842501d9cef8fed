package htmlpage

import (
	"bytes"
	"errors"
	"html/template"
	"strings"
	"testing"
)

var kind = New(`{{define "title"}}of {{.Name}}{{end -}}
<h1>{{up .Name}}</h1>
`, ".mine { color: red; }", template.FuncMap{"up": strings.ToUpper})

func TestWrite(t *testing.T) {
	var b bytes.Buffer
	if err := kind.Write(&b, map[string]any{"Name": "<x>"}); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, want := range []string{
		"<title>of &lt;x&gt;</title>", "default-src 'none'", ":root {", ".mine { color: red; }</style>", "<main>\n<h1>&lt;X&gt;</h1>",
		"</h1>\n</main>\n</body>\n</html>\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in:\n%s", want, page)
		}
	}
	if strings.Contains(page, "ZgotmplZ") {
		t.Errorf("something is not let through:\n%s", page)
	}
}

// TestNothingHalf writes neither a page that breaks off nor hides that it can't be written.
func TestNothingHalf(t *testing.T) {
	var b bytes.Buffer
	if err := kind.Write(&b, map[string]any{"Name": 5}); err == nil || !strings.HasPrefix(err.Error(), "html page: ") || b.Len() > 0 {
		t.Errorf("%v, and %d bytes are written", err, b.Len())
	}
	if err := kind.Write(full{}, map[string]any{"Name": ""}); !errors.Is(err, errFull) {
		t.Errorf("the error is %v", err)
	}
}

var errFull = errors.New("disk full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }
