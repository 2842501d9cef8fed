package compat

import (
	"fmt"

	"github.com/seamgo/seam/cmd/seam/internal/idl/model"
)

func (c *comparer) enums(d, n *model.Enum) {
	newByName := map[string]*model.EnumValue{}
	newByNumber := map[int32]*model.EnumValue{}
	for _, v := range n.Values {
		newByName[v.Name] = v
		if newByNumber[v.Value] == nil {
			newByNumber[v.Value] = v
		}
	}
	oldByName := map[string]bool{}
	for _, v := range d.Values {
		oldByName[v.Name] = true
	}
	c.annotations(d.Name, d.Annotations, n.Annotations, place(d.Program, d.Pos), place(n.Program, n.Pos))
	c.reserved(d.Name, d.Reserved, n.Reserved, place(d.Program, d.Pos), place(n.Program, n.Pos))
	renamed := map[string]bool{}
	for _, v := range d.Values {
		path := fmt.Sprintf("%s.%s (%d)", d.Name, v.Name, v.Value)
		old := place(d.Program, v.Pos)
		same, other := newByName[v.Name], newByNumber[v.Value]
		switch {
		case same != nil && same.Value == v.Value:
			c.annotations(path, v.Annotations, same.Annotations, old, place(n.Program, same.Pos))
		case same != nil:
			c.add(enumNumber, path, old, place(n.Program, same.Pos), "its number is now %d: each version takes the other's value for something else; keep the number", same.Value)
		case other != nil && !oldByName[other.Name]:
			renamed[other.Name] = true
			c.add(enumRenamed, path, old, place(n.Program, other.Pos), "it is now called %s: code and JSON that use the name must change; keep the old name beside the new one, with the same number", other.Name)
		case other != nil:
			c.add(enumRenamed, path, old, place(n.Program, other.Pos), "it is gone, and only %s is left for its number: code that uses the name must change; keep it", other.Name)
		default:
			c.add(enumGone, path, old, place(n.Program, n.Pos), "it is gone: data of the old version may hold its number, which has no name now; keep it, even if it is no longer used, or reserve it: (seam.reserved = \"%d, %s\")", v.Value, v.Name)
		}
	}
	for _, v := range n.Values {
		if oldByName[v.Name] || renamed[v.Name] {
			continue
		}
		if d.Reserved.HasID(int64(v.Value)) || d.Reserved.HasName(v.Name) {
			c.add(idReserved, fmt.Sprintf("%s.%s (%d)", n.Name, v.Name, v.Value), Place{}, place(n.Program, v.Pos), "its number or its name is reserved in the old version, since another value had it: use others")
		} else {
			c.add(enumNew, fmt.Sprintf("%s.%s (%d)", n.Name, v.Name, v.Value), Place{}, place(n.Program, v.Pos), "it is new: programs of the old version see a number without a name")
		}
	}
}
