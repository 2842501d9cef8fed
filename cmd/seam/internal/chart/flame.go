package chart

// Flame is a tree of boxes: on top the roots, below each box its children, as wide as
// their values.
type Flame struct {
	Name  string // for those who can't see it
	Total float64
	Boxes []Box // each behind its parent
}

// A Box is a node of a Flame.
type Box struct {
	Parent int // an index; -1 for none
	Value  float64
	Class  string
	Labels []string // the first that fits is shown, else the beginning of the last
	Tip    string
}

// boxHeight is the height of a row.
const boxHeight = 19.0

func (c *Flame) draw(f frame) Scene {
	s := f.scene(c.Name)
	const left, top = 1.0, 4.0
	// Where each box's next child begins; the last is for the roots.
	next := make([]float64, len(c.Boxes)+1)
	roots := len(c.Boxes)
	next[roots] = left
	depth, deepest := make([]int, len(c.Boxes)), 0
	for i, b := range c.Boxes {
		parent := b.Parent
		if parent < 0 {
			parent = roots
		} else {
			depth[i] = depth[parent] + 1
		}
		x, w := next[parent], (f.width-2)*(b.Value/c.Total)
		next[parent] += w
		next[i] = x
		if w < 0.4 { // a hairline without a colour
			continue
		}
		deepest = max(deepest, depth[i])
		y := top + boxHeight*float64(depth[i])
		s.Rect(b.Class, b.Tip, x, y, w, boxHeight)
		s.Text("inside", "start", inside(b.Labels, w-8), x+4, y+13.5)
	}
	s.H = Px(top + boxHeight*float64(deepest+1) + 4)
	return s
}

// inside is what a box has room for of its labels: nothing rather than a letter or two.
func inside(labels []string, room float64) string {
	label := ""
	for _, label = range labels {
		if textWidth(label, sizeTick) <= room {
			return label
		}
	}
	if cut := fit(label, sizeTick, room); len([]rune(cut)) >= 4 && textWidth(cut, sizeTick) <= room {
		return cut
	}
	return ""
}
