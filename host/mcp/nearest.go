package mcp

import "strings"

// nearest returns the candidate that name is most likely meant for, or "" where
// none is close: the same letters in another spelling (as_of for asOf), or a
// few edits away.
func nearest(name string, candidates []string) string {
	const longest = 64
	if len(name) > longest {
		return ""
	}
	best, distance := "", 1+max(2, len(name)/3)
	for _, c := range candidates {
		if plain(c) == plain(name) {
			return c
		}
		if d := editDistance(plain(name), plain(c)); d < distance {
			best, distance = c, d
		}
	}
	if distance >= len(name) {
		return ""
	}
	return best
}

func plain(s string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(s))
}

// editDistance counts insertions, deletions, substitutions and swaps of
// neighbours that lead from a to b.
func editDistance(a, b string) int {
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
