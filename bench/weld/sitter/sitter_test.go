//go:build cgo

// Package sitter measures github.com/smacker/go-tree-sitter: walks over a parsed
// tree, which are many calls of next to nothing.
package sitter

import (
	"context"
	"os"
	"testing"

	sitter "github.com/smacker/go-tree-sitter"
	"github.com/smacker/go-tree-sitter/javascript"
)

// A visit adds up the nodes that a walk has come by.
type visit struct {
	nodes, named, bytes, chars uint64
}

func (v *visit) node(n *sitter.Node) {
	v.nodes++
	if n.IsNamed() {
		v.named++
	}
	v.bytes += uint64(n.EndByte() - n.StartByte())
	v.chars += uint64(len(n.Type()))
}

// want is what every walk over testdata/inventory.js adds up to.
var want = visit{nodes: 2088, named: 1140, bytes: 40446, chars: 17428}

func BenchmarkWeld(b *testing.B) {
	source, err := os.ReadFile("testdata/inventory.js")
	if err != nil {
		b.Fatal(err)
	}
	root := parse(b, source)
	for _, op := range []struct {
		name string
		walk func(*sitter.Node, *visit)
	}{
		{"walk", byCursor},
		{"children", byChildren},
	} {
		b.Run("mod=sitter/op="+op.name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				var got visit
				op.walk(root, &got)
				if got != want {
					b.Fatalf("the walk adds up to %+v, want %+v", got, want)
				}
			}
		})
	}
}

// byCursor walks the tree with a cursor.
func byCursor(root *sitter.Node, v *visit) {
	c := sitter.NewTreeCursor(root)
	defer c.Close()
	for {
		v.node(c.CurrentNode())
		if c.GoToFirstChild() {
			continue
		}
		for !c.GoToNextSibling() {
			if !c.GoToParent() {
				return
			}
		}
	}
}

// byChildren asks each node for its children by number.
func byChildren(n *sitter.Node, v *visit) {
	v.node(n)
	for i := range int(n.ChildCount()) {
		byChildren(n.Child(i), v)
	}
}

func parse(b *testing.B, source []byte) *sitter.Node {
	parser := sitter.NewParser()
	parser.SetLanguage(javascript.GetLanguage())
	tree, err := parser.ParseCtx(context.Background(), nil, source)
	if err != nil {
		b.Fatal(err)
	}
	root := tree.RootNode()
	if root.HasError() {
		b.Fatal("testdata/inventory.js does not parse")
	}
	b.Cleanup(func() { tree.Close(); parser.Close() })
	return root
}
