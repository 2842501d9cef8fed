package chart

import (
	"strings"
	"unicode"
)

// textWidth estimates how wide s is in a sans-serif font of that size. No font
// is at hand when the page is written, so the estimate leans to the wide side
// of the usual system fonts.
func textWidth(s string, size float64) float64 {
	em := 0.0
	for _, r := range s {
		switch {
		case strings.ContainsRune("iljtfrI.,:;|'!()[]/ –-", r):
			em += 0.38
		case strings.ContainsRune("mwMW@%", r):
			em += 0.92
		case unicode.Is(unicode.Mn, r):
		case r >= 0x1100 && (unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana) || r >= 0x1f000):
			em += 1.05
		case unicode.IsUpper(r):
			em += 0.70
		default:
			em += 0.58
		}
	}
	return 1.04 * em * size
}

// fit cuts s with an ellipsis where it is wider than width.
func fit(s string, size, width float64) string {
	if textWidth(s, size) <= width {
		return s
	}
	runes := []rune(s)
	for len(runes) > 0 {
		runes = runes[:len(runes)-1]
		if cut := strings.TrimRight(string(runes), " ") + "…"; textWidth(cut, size) <= width {
			return cut
		}
	}
	return "…"
}

// wrapped breaks s into at most lines lines of the given width, at spaces where
// it can, and cuts what is left over.
func wrapped(s string, size, width float64, lines int) []string {
	var out []string
	line := ""
	words := strings.Fields(s)
	for i, w := range words {
		next := strings.TrimSpace(line + " " + w)
		if line == "" || textWidth(next, size) <= width {
			line = next
			continue
		}
		if len(out) == lines-1 {
			line = strings.Join(append([]string{line}, words[i:]...), " ")
			break
		}
		out = append(out, fit(line, size, width))
		line = w
	}
	if line != "" {
		out = append(out, fit(line, size, width))
	}
	return out
}
