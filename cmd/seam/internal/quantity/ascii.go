package quantity

import "strings"

var ascii = strings.NewReplacer(
	"±", "+-", "×", "x", "µ", "u", "μ", "u", "–", "-", "—", "-", "…", "...", "−", "-", "·", "-",
	"≤", "<=", "≥", ">=", "≈", "~", "→", "->", "÷", "/", "∞", "inf", "’", "'", "‘", "'", "“", `"`, "”", `"`, "\u202f", " ",
)

// ASCII replaces the characters in reports that a plain terminal or a log may not
// show.
func ASCII(s string) string { return ascii.Replace(s) }
