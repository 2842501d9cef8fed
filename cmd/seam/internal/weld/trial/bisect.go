package trial

import "slices"

// Minimal finds a few of a list with which something fails that fails with all of it and not with
// none: without any one of them it passes. (Zeller's ddmin: one culprit is found by asking about
// twice the logarithm of the length.) An error ends the search.
func Minimal[T any](list []T, fails func([]T) (bool, error)) ([]T, error) {
	for parts := 2; len(list) > 1; {
		parts = min(parts, len(list))
		smaller, alone, err := reduce(list, parts, fails)
		switch {
		case err != nil:
			return nil, err
		case alone:
			list, parts = smaller, 2
		case smaller != nil:
			list, parts = smaller, max(2, parts-1)
		case parts == len(list):
			return slices.Clone(list), nil
		default:
			parts *= 2
		}
	}
	return slices.Clone(list), nil
}

// reduce looks for a part of the list that fails alone, and then for one that isn't needed; nil if
// there is none.
func reduce[T any](list []T, parts int, fails func([]T) (bool, error)) (smaller []T, alone bool, err error) {
	at := func(i int) int { return i * len(list) / parts }
	for i := range parts {
		part := list[at(i):at(i+1)]
		if bad, err := fails(part); bad || err != nil {
			return part, true, err
		}
	}
	if parts == 2 {
		return nil, false, nil // what is left without one is the other
	}
	for i := range parts {
		rest := slices.Concat(list[:at(i)], list[at(i+1):])
		if bad, err := fails(rest); bad || err != nil {
			return rest, false, err
		}
	}
	return nil, false, nil
}
