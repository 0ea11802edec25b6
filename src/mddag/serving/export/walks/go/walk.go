
// The walk: from the row of the jump table for the scores so far to the next step that is
// evaluated, until the target is nSteps. Sums stay within 31 bits. Products that are parts of sums
// are converted to float64, so that no compiler fuses them.

func goesLeft(node []int32, v float32) bool {
	if v != v { // NaN
		return node[1]&1 != 0
	}
//: if nominal
	if node[1]&2 != 0 {
		set := sets[node[0]:]
		if !(v > -1 && v < float32(32*set[0])) {
			return false
		}
		category := uint32(int32(v)) // towards zero
		return uint32(set[1+category>>5])>>(category&31)&1 != 0
	}
//: end
	return v <= math.Float32frombits(uint32(node[0]))
}

// leaf is where the votes of the leaf begin that x reaches from a root.
//: if patches
func leaf(at int32, x *row) int32 {
//: else
func leaf(at int32, x row) int32 {
//: end
	for at >= 0 {
		node := nodes[4*at : 4*at+4]
		if goesLeft(node, column(x, node[1]>>2)) {
			at = node[2]
		} else {
			at = node[3]
		}
	}
	return ^at
}

// evaluate adds the votes of step j to the sums.
//: if patches
func evaluate(j int32, x *row, sums *[nSums]int32) {
//: else
func evaluate(j int32, x row, sums *[nSums]int32) {
//: end
//: if staged
	vote := int32(0)
	for t := rounds[j]; t < rounds[j+1]; t++ {
		vote += votes[leaf(roots[t], x)]
	}
	for w := writeStarts[j]; w < writeStarts[j+1]; w++ {
		sums[writeColumns[w]] += vote
	}
//: else
	for t := rounds[j]; t < rounds[j+1]; t++ {
		at := leaf(roots[t], x)
//: if many
		if score[t] >= 0 {
			sums[score[t]] += votes[at]
		} else {
			for k := range sums {
				sums[k] += votes[int(at)+k]
			}
		}
//: else
		sums[0] += votes[at]
//: end
	}
//: end
}

// place is the run of a row of a table that the sums are in: the first whose bound is not below the
// state.
func place(row int32, sums *[nSums]int32, starts, bounds []int32) int32 {
//: if staged
	state := sums[reads[row]]
//: else
//: if many
	top := 0 // the first of the best
	if sums[1] > sums[0] {
		top = 1
	}
	best, second := sums[top], sums[1-top]
	for k := 2; k < NScores; k++ {
		if sums[k] > best {
			second, best, top = best, sums[k], k
		} else if sums[k] > second {
			second = sums[k]
		}
	}
	row = row*NScores + int32(top)
	state := (best - second) ^ math.MinInt32 // the margin less 2^31, as bounds are
//: else
	state := sums[0]
//: end
//: end
	low, high := starts[row], starts[row+1]-1
	for low < high {
		middle := (low + high) >> 1
		if state > bounds[middle] {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// look is where the table leads when j steps are over: to the next step to evaluate.
func look(j int32, sums *[nSums]int32) int32 {
//: if together
	if j%every != 0 {
		return j
	}
	return jumps[place(j/every, sums, starts, bounds)]
//: else
	return jumps[place(j, sums, starts, bounds)]
//: end
}

// next is the next step to evaluate when j steps are over.
func next(j int32, sums *[nSums]int32) int32 {
	to := look(j, sums)
//: if staged
	for to != j && to < nSteps { // a later step may read another column, and decides again
		j = to
		to = look(j, sums)
	}
//: end
	return to
}

// run fills the sums; it returns how many base classifiers were evaluated, and one more than the
// last of the kept steps that was.
func run(x []Value, sums *[nSums]int32) (evaluated int, exit int32) {
	loaded := load(x)
//: if staged
	for k := range sums {
		sums[k] = bias[0]
	}
//: else
	copy(sums[:], bias)
//: end
	for j := next(0, sums); j < nSteps; j = next(j+1, sums) {
		evaluate(j, loaded, sums)
		exit = j + 1
		evaluated++
	}
	return
}

// final are the final scores.
func final(exit int32, sums *[nSums]int32) []int32 {
//: if staged
	return sums[reads[(exit+every-1)/every]:]
//: else
	return sums[:]
//: end
}

// Evaluations is how many base classifiers the row x needs.
func Evaluations(x []Value) int {
	var sums [nSums]int32
	evaluated, _ := run(x, &sums)
	return evaluated
}

// Scores are the raw scores f of the row x.
func Scores(x []Value) (f [NScores]float64) {
	var sums [nSums]int32
	_, exit := run(x, &sums)
	for k, sum := range final(exit, &sums)[:NScores] {
		f[k] = float64(sum) * unit
	}
	return
}
//: if classifies

//: if verdicts
// verdict is that of a row of the table: a class, -1 for that by the scores, -2 for that of the end.
func verdict(row int32, sums *[nSums]int32) int32 {
	return verdicts[place(row, sums, verdictStarts, verdictBounds)]
}

//: end
func winner(f []int32) int {
	top := 0
//: if many
	for k := 1; k < NScores; k++ {
		if f[k] > f[top] {
			top = k
		}
	}
//: else
	if f[0] > 0 {
		top = 1
	}
//: end
	return top
}

// Predict is the number of the class of the row x, whose label is Classes[number]: where it quits
// may say it, else the largest score does; a tie goes to the first class.
func Predict(x []Value) int {
	var sums [nSums]int32
	_, exit := run(x, &sums)
//: if verdicts
	j := exit
//: if staged
	for to := look(j, &sums); to < nSteps; to = look(j, &sums) {
		j = to
	}
//: end
	code := verdict((j+every-1)/every, &sums)
	if code == -2 {
		code = verdict((nSteps+every-1)/every, &sums)
	}
	if code >= 0 {
		return int(code)
	}
//: end
	return winner(final(exit, &sums))
}
//: else

// Predict is the mean that is expected for the row x; of a ranker what to sort by.
func Predict(x []Value) float64 {
	var sums [nSums]int32
	_, exit := run(x, &sums)
	g := groups[exit]
	mean := float64(factors[g]*(float64(final(exit, &sums)[0])*unit)) + offsets[g]
//: if exp_link
	return exp(mean)
//: else
	return mean
//: end
}
//: end
