package chart

// markers are the forms of points, one for each line, so that lines can be told
// apart without colours.
const markers = 4

func marker(s *Scene, n int, tip string, x, y float64) {
	sh := Shape{Kind: "path", Class: "point " + Colour(n), Tip: tip}
	switch n % markers {
	case 0:
		sh.Kind, sh.X, sh.Y, sh.R = "dot", Px(x), Px(y), "3.2"
	case 1:
		sh.D = "M" + Px(x-2.9) + " " + Px(y-2.9) + "h5.8v5.8h-5.8z"
	case 2:
		sh.D = "M" + Px(x) + " " + Px(y-3.9) + "l3.8 6.6h-7.6z"
	case 3:
		sh.D = "M" + Px(x) + " " + Px(y-4.3) + "l4.3 4.3l-4.3 4.3l-4.3 -4.3z"
	}
	s.Add(sh, x, y)
}
