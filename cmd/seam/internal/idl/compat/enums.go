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
	renamed := map[string]bool{}
	for _, v := range d.Values {
		path := fmt.Sprintf("%s.%s (%d)", d.Name, v.Name, v.Value)
		old := place(d.Program, v.Pos)
		same, other := newByName[v.Name], newByNumber[v.Value]
		switch {
		case same != nil && same.Value == v.Value:
		case same != nil:
			c.add(Wire, path, old, place(n.Program, same.Pos), "its number is %d now: the two versions take each other's values for something else; keep the number", same.Value)
		case other != nil && !oldByName[other.Name]:
			renamed[other.Name] = true
			c.add(Source, path, old, place(n.Program, other.Pos), "it is called %s now: code that uses the name and JSON with it must change; keep the old name beside the new one, with the same number", other.Name)
		case other != nil:
			c.add(Source, path, old, place(n.Program, other.Pos), "it is gone, and its number has the name %s only: code that uses the name must change; keep it", other.Name)
		default:
			c.add(Wire, path, old, place(n.Program, n.Pos), "it is gone: data of the old version hold a number without a name; keep it, even if it is not used any more")
		}
	}
	for _, v := range n.Values {
		if !oldByName[v.Name] && !renamed[v.Name] {
			c.add(Note, fmt.Sprintf("%s.%s (%d)", n.Name, v.Name, v.Value), Place{}, place(n.Program, v.Pos), "it is new: programs of the old version see a number without a name")
		}
	}
}
