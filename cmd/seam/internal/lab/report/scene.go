package report

import (
	"github.com/seamgo/seam/cmd/seam/internal/htmlpage"
)

// markers are the forms of points, one for each line, so that lines can be told
// apart without colours.
const markers = 4

func marker(s *htmlpage.Scene, n int, class, tip string, x, y float64) {
	px, sh := htmlpage.Px, htmlpage.Shape{Kind: "path", Class: class, Tip: tip}
	switch n % markers {
	case 0:
		sh.Kind, sh.X, sh.Y, sh.R = "dot", px(x), px(y), "3.2"
	case 1:
		sh.D = "M" + px(x-2.9) + " " + px(y-2.9) + "h5.8v5.8h-5.8z"
	case 2:
		sh.D = "M" + px(x) + " " + px(y-3.9) + "l3.8 6.6h-7.6z"
	case 3:
		sh.D = "M" + px(x) + " " + px(y-4.3) + "l4.3 4.3l-4.3 4.3l-4.3 -4.3z"
	}
	s.Add(sh, x, y)
}

// diamond is the hollow marker of a published figure.
func diamond(s *htmlpage.Scene, tip string, x, y float64) {
	s.Add(htmlpage.Shape{Kind: "path", Class: "ref", Tip: tip,
		D: "M" + htmlpage.Px(x) + " " + htmlpage.Px(y-5) + "l5 5l-5 5l-5 -5z"}, x, y)
}
