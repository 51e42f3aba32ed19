package argon_test

import (
	"sort"
	"strings"
)

func sameRowsTEMP(s string) string {
	rows := strings.Split(strings.TrimSpace(s), " (")
	for i := range rows {
		rows[i] = strings.TrimPrefix(rows[i], "(")
	}
	sort.Strings(rows)
	return strings.Join(rows, "|")
}
