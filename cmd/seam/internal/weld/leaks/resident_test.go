package leaks

import (
	"bytes"
	"strings"
	"testing"
)

// "No leak" is never said while memory grows by what isn't tracked.
func TestResident(t *testing.T) {
	const mb = 1 << 20
	one := []Process{{Exe: "/srv/server", PID: 4711}}
	for _, c := range []struct {
		name string
		file File
		want uint64
		says string
		not  string
	}{
		{"nobody looked", File{Processes: one, Made: 9}, 0, "No leak of what Go allocates in C: 9 blocks of C memory allocated by Go in 1 process, and all were freed. Nobody has looked at resident memory", "RSS"},
		{"nothing grew", File{Processes: one, Made: 9, Resident: &Resident{Sentence: "RSS did not grow."}}, 0, "No leak of what Go allocates in C: 9 blocks", "Memory grew"},
		{"nothing through cgo", File{Resident: &Resident{Malloc: 1000}}, 0, "No leak of what Go allocates in C: no package outside the standard library", "Memory grew"},
		{"C's own malloc, nothing through cgo", File{Resident: &Resident{Malloc: 23 * mb, Sentence: "RSS grew 23 MiB.", Verdict: "Leak: it rose."}}, 23 * mb,
			"Memory grew by 23 MiB, and not by what Go allocates in C: no package outside", "No leak"},
		{"C's own malloc", File{Processes: one, Made: 9, MadeBytes: 90, Resident: &Resident{Malloc: 23 * mb}}, 23*mb - 1024*26, "Memory grew by 23 MiB", "No leak"},
		{"C's strdup: small, but many", File{Processes: one, Made: 22460, MadeBytes: 44920, Resident: &Resident{Malloc: 200 << 10, Blocks: 9000}}, 200<<10 - 1024*18, "Memory grew by", "No leak"},
		{"a little of C's own malloc", File{Processes: one, Made: 9, Resident: &Resident{Malloc: 230 << 10}}, 0, "No leak", "Memory grew"},
		{"a little that rises", File{Processes: one, Made: 9, Resident: &Resident{Malloc: 230 << 10, Rises: true}}, 230<<10 - 1024*16, "Memory grew by", "No leak"},
		{"mappings", File{Processes: one, Made: 9, Resident: &Resident{Other: 200 * mb}}, 200 * mb, "Memory grew by 200 MiB", "No leak"},
		{"the run-time's own tables", File{Processes: one, Made: 9, Resident: &Resident{Other: 5 * mb}}, 0, "No leak", "Memory grew"},
		{"it is what wasn't freed", File{Processes: one, Made: 100, MadeBytes: 30 * mb, Blocks: 90, Bytes: 29 * mb, Resident: &Resident{Malloc: 29*mb + 1440, Blocks: 90}}, 0, "90 blocks, 29 MiB, never freed", "aren't tracked"},
		{"it is that and more", File{Processes: one, Made: 100, MadeBytes: 1000, Blocks: 90, Bytes: 900, Resident: &Resident{Malloc: 30 * mb}}, 30*mb - 900 - 90*16 - 1024*26, "of what memory grew by are not in blocks that Go allocated in C", "No leak"},
		{"freed when it ended", File{Processes: one, Made: 9, MadeBytes: 90, Resident: &Resident{Malloc: 23 * mb, Blocks: 9000, Later: 23 * mb, Freed: 9000}}, 0, "No leak of what Go allocates in C: 9 blocks", "Memory grew"},
		{"by jemalloc, and not freed", File{Processes: one, Made: 9, MadeBytes: 30 * mb, Blocks: 9, Bytes: 29 * mb, Resident: &Resident{Other: 30 * mb, Mixed: true}}, 0, "9 blocks, 29 MiB, never freed", "not in blocks"},
		{"by jemalloc, by C itself", File{Processes: one, Made: 9, Resident: &Resident{Other: 5 * mb, Mixed: true, Rises: true}}, 5*mb - 1024*16, "Memory grew by", "No leak"},
		{"mapped, beside what was not freed", File{Processes: one, Made: 9, MadeBytes: 30 * mb, Blocks: 9, Bytes: 29 * mb, Resident: &Resident{Malloc: 29 * mb, Other: 30 * mb}}, 30 * mb, "30 MiB of what memory grew by are not in blocks that Go allocated in C", "No leak"},
		{"recorded by the process", File{Processes: one, Made: 9, Resident: recorded([]*Record{{RSSFirst: mb, RSSLast: 2 * mb}, {RSSFirst: 33 * mb, RSSLast: 64 * mb}})}, 31*mb - 1024*16, "Which part of it that is", "No leak"},
		{"recorded, and little", File{Processes: one, Made: 9, Resident: recorded([]*Record{{RSSFirst: 33 * mb, RSSLast: 36 * mb}})}, 0, "No leak of what Go allocates in C: 9 blocks", "Memory grew"},
		{"of that C's own part isn't known", File{Processes: one, Made: 9, Resident: recorded([]*Record{{RSSFirst: 33 * mb, RSSLast: 36 * mb}})}, 0, "went from 33 MiB to 36 MiB in 0s. What C allocates by itself is in that, and isn't known.", "Memory grew"},
	} {
		if got := c.file.Unexplained(); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
		var b bytes.Buffer
		if err := c.file.WriteText(&b, TextOptions{}); err != nil {
			t.Fatal(err)
		}
		if said := strings.Join(strings.Fields(b.String()), " "); !strings.Contains(said, c.says) || strings.Contains(said, c.not) {
			t.Errorf("%s: want %q and no %q\n%s", c.name, c.says, c.not, b.String())
		}
	}
}
