package diag

import "slices"

// Nearest returns the candidate that name was most likely meant to be: the one
// at the least edit distance (insertions, deletions, substitutions and swaps
// of neighbours), not counting case, if that is at most a third of the longer
// word's length and at least one; the first in the alphabet among equals.
func Nearest(name string, candidates []string) (string, bool) {
	near := NearestN(name, candidates, 1)
	if len(near) == 0 {
		return "", false
	}
	return near[0], true
}

// NearestN returns up to n candidates that name may have been meant to be, the
// nearest first.
func NearestN(name string, candidates []string, n int) []string {
	type scored struct {
		word     string
		distance int
	}
	word := fold(name)
	if len(word) == 0 || len(word) > maxNearest {
		return nil
	}
	var found []scored
	for _, c := range candidates {
		other := fold(c)
		if c == name || len(other) == 0 || len(other) > maxNearest {
			continue
		}
		limit := max(len(word), len(other), 3) / 3
		if d := distance(word, other, limit); d <= limit {
			found = append(found, scored{c, d})
		}
	}
	slices.SortFunc(found, func(a, b scored) int {
		if a.distance != b.distance {
			return a.distance - b.distance
		}
		if a.word < b.word {
			return -1
		} else if a.word > b.word {
			return 1
		}
		return 0
	})
	var near []string
	for _, s := range found {
		if len(near) < n && !slices.Contains(near, s.word) {
			near = append(near, s.word)
		}
	}
	return near
}

// maxNearest is the longest word, in code points, that is compared.
const maxNearest = 100

func fold(s string) []rune {
	if len(s) > 4*maxNearest {
		return make([]rune, maxNearest+1)
	}
	word := []rune(s)
	for i, r := range word {
		if r >= 'A' && r <= 'Z' {
			word[i] = r + 'a' - 'A'
		}
	}
	return word
}

// distance is the edit distance of a and b, or something above limit.
func distance(a, b []rune, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
