//go:build cgo && seam_libs

// Package git measures github.com/libgit2/git2go: walks over a tree and over a history.
package git

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	git "github.com/libgit2/git2go/v34"
)

const (
	folders = 20
	files   = 50 // in each
	commits = 500
)

var dir string

func TestMain(m *testing.M) {
	var err error
	if dir, err = os.MkdirTemp("", "git"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// history opens a repository with many commits, the tree of the last of which is large. The
// first call makes it.
func history(b *testing.B) *git.Repository {
	path := filepath.Join(dir, "repository")
	if _, err := os.Stat(path); err != nil {
		half := filepath.Join(dir, "new")
		fill(b, half)
		check(b, os.Rename(half, path))
	}
	repo, err := git.OpenRepository(path)
	check(b, err)
	b.Cleanup(repo.Free)
	return repo
}

func fill(b *testing.B, path string) {
	repo, err := git.InitRepository(path, true)
	check(b, err)
	defer repo.Free()
	blob, err := repo.CreateBlobFromBuffer([]byte("hello\n"))
	check(b, err)
	root, err := repo.TreeBuilder()
	check(b, err)
	defer root.Free()
	for i := range folders {
		sub, err := repo.TreeBuilder()
		check(b, err)
		for j := range files {
			check(b, sub.Insert(fmt.Sprintf("file-%03d", j), blob, git.FilemodeBlob))
		}
		id, err := sub.Write()
		check(b, err)
		sub.Free()
		check(b, root.Insert(fmt.Sprintf("folder-%02d", i), id, git.FilemodeTree))
	}
	id, err := root.Write()
	check(b, err)
	tree, err := repo.LookupTree(id)
	check(b, err)
	defer tree.Free()
	var parents []*git.Commit
	for i := range commits {
		who := &git.Signature{Name: "A", Email: "a@example.com", When: time.Unix(1e9+int64(i), 0)}
		id, err := repo.CreateCommit("refs/heads/main", who, who, fmt.Sprint("commit ", i), tree, parents...)
		check(b, err)
		c, err := repo.LookupCommit(id)
		check(b, err)
		parents = []*git.Commit{c}
	}
	check(b, repo.SetHead("refs/heads/main"))
}

func check(b *testing.B, err error) {
	if err != nil {
		b.Helper()
		b.Fatal(err)
	}
}

func head(b *testing.B, repo *git.Repository) *git.Commit {
	ref, err := repo.Head()
	check(b, err)
	c, err := repo.LookupCommit(ref.Target())
	check(b, err)
	return c
}

// BenchmarkTreeWalk calls Go for each entry.
func BenchmarkTreeWalk(b *testing.B) {
	tree, err := head(b, history(b)).Tree()
	check(b, err)
	b.ResetTimer()
	for range b.N {
		n := 0
		check(b, tree.Walk(func(string, *git.TreeEntry) error { n++; return nil }))
		if n != folders*(files+1) {
			b.Fatalf("%d entries", n)
		}
	}
}

func BenchmarkRevwalk(b *testing.B) {
	repo := history(b)
	b.ResetTimer()
	for range b.N {
		w, err := repo.Walk()
		check(b, err)
		check(b, w.PushHead())
		var id git.Oid
		n := 0
		for w.Next(&id) == nil {
			n++
		}
		w.Free()
		if n != commits {
			b.Fatalf("%d commits", n)
		}
	}
}

// BenchmarkEntries asks for each entry of a tree by its index.
func BenchmarkEntries(b *testing.B) {
	repo := history(b)
	root, err := head(b, repo).Tree()
	check(b, err)
	tree, err := repo.LookupTree(root.EntryByIndex(0).Id)
	check(b, err)
	b.ResetTimer()
	for range b.N {
		for i := range uint64(files) {
			if tree.EntryByIndex(i) == nil {
				b.Fatal("no entry")
			}
		}
	}
}
