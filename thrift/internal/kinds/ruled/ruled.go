// Package ruled has the functions of our own that rules in validated.thrift call.
package ruled

// Luhn reports whether the last digit of a number is the check digit of the others.
func Luhn(number string) bool {
	sum := 0
	for i := range len(number) {
		d := int(number[len(number)-1-i]) - '0'
		if d < 0 || d > 9 {
			return false
		}
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return number != "" && sum%10 == 0
}

// Share is a part of n.
func Share(n int64, part float64) float64 { return float64(n) * part }
