package jsonfile

import "encoding/json"

// scan goes through sound JSON once, and copies nothing of it. It counts the values that
// take memory of their own when they are decoded, objects and what stands in lists, and
// returns the fields of the whole that are asked for. entries is the length of the longest
// list among its fields.
func scan(text []byte, names []string) (fields map[string]json.RawMessage, values, entries int) {
	fields = map[string]json.RawMessage{}
	var inside []byte // the brackets that are open
	key, begin := "", -1
	length := 0
	for i := 0; i < len(text); i++ {
		list := len(inside) > 0 && inside[len(inside)-1] == '['
		switch c := text[i]; c {
		case '"':
			from := i
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			if len(inside) == 1 && !list && begin < 0 {
				key = name(text[from:i+1], names)
			}
		case ':':
			if len(inside) == 1 {
				begin = i + 1
			}
		case '{', '[':
			inside = append(inside, c)
			if c == '{' || i+1 < len(text) && text[i+1] != ']' {
				values++
			}
			if c == '[' && len(inside) == 2 {
				length = 1
			}
		case ',', '}', ']':
			if len(inside) == 1 && begin >= 0 {
				if key != "" {
					fields[key] = json.RawMessage(text[begin:i])
				}
				key, begin = "", -1
			}
			if c == ',' {
				if list {
					values++
				}
				if list && len(inside) == 2 {
					length++
					entries = max(entries, length)
				}
				continue
			}
			inside = inside[:len(inside)-1]
		}
	}
	return fields, values, entries
}

// name is which of the names a key is, "" for another.
func name(key []byte, names []string) string {
	for _, n := range names {
		if len(key) == len(n)+2 && string(key[1:len(key)-1]) == n {
			return n
		}
	}
	return ""
}
