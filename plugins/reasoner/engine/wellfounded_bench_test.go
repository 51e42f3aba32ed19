package engine

import "testing"

// BenchmarkWinMove is the game of win and move: on one path, whose positions
// are decided one after another; with moves to later positions only, so that
// none is drawn; and with moves to anywhere, so that most are.
func BenchmarkWinMove(b *testing.B) {
	p, move, win := winMoveProgram()
	game := func(positions, moves int, from func(i, random int64) int64) [][]int64 {
		state := uint64(99)
		var rows [][]int64
		for i := range int64(positions) {
			for range moves {
				state = state*6364136223846793005 + 1442695040888963407
				if to := from(i, int64(state>>33)); to < int64(positions) {
					rows = append(rows, []int64{i, to})
				}
			}
		}
		return rows
	}
	next := func(i, _ int64) int64 { return i + 1 }
	for _, w := range []struct {
		name  string
		moves [][]int64
	}{
		{"path20000", game(20_000, 1, next)},
		{"path200000", game(200_000, 1, next)},
		{"decided100000x2", game(100_000, 2, func(i, r int64) int64 { return i + 1 + r%100_000 })},
		{"drawn100000x4", game(100_000, 4, func(_, r int64) int64 { return r % 100_000 })},
	} {
		b.Run(w.name, func(b *testing.B) { benchmarkProgram(b, p, move, intFrame(w.moves...), win) })
	}
}

// BenchmarkCircles has, for each number, two facts that rest on each other, and
// of which each pair is unfounded only once the one before is known to be.
func BenchmarkCircles(b *testing.B) {
	for _, w := range []struct {
		name string
		n    int64
	}{{"2000", 2_000}, {"20000", 20_000}, {"200000", 200_000}} {
		b.Run(w.name, func(b *testing.B) {
			p, next, ok := circlesProgram()
			var rows [][]int64
			for i := range w.n {
				rows = append(rows, []int64{i, i + 1})
			}
			benchmarkProgram(b, p, next, intFrame(rows...), ok)
		})
	}
}
