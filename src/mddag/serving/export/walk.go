
// The walk: from the row of the jump table for the scores so far to the next step that is
// evaluated, until the target is nSteps. Sums stay within 31 bits. Products that are parts of sums
// are converted to float64, so that no compiler fuses them.

//: if patches
// Value is what a row holds: NFeatures grey levels of a patch, row by row.
type Value = uint8

// A patch: its integral image is made once; a feature, up to three rectangles with weights, is
// computed when a split reads it:
//
//	value = sum of weight x pixels / (area x deviation), the deviation at least one grey level.
type row struct {
	cells [(height + 1) * (width + 1)]uint32 // sums of all pixels above and left
	scale float32
}

func load(x []Value) *row {
	if len(x) != NFeatures {
		panic(fmt.Sprintf("got %d pixels, wanted %d", len(x), NFeatures))
	}
	r := new(row)
	var sum, squares uint64
	at, cell := 0, width+2
	for y := 0; y < height; y++ {
		line := uint32(0)
		for i := 0; i < width; i++ {
			pixel := uint32(x[at])
			line += pixel
			squares += uint64(pixel * pixel)
			r.cells[cell] = r.cells[cell-width-1] + line
			at++
			cell++
		}
		sum += uint64(line)
		cell++
	}
	spread := uint64(NFeatures)*squares - sum*sum
	if spread < NFeatures*NFeatures {
		spread = NFeatures * NFeatures
	}
	r.scale = float32(1 / math.Sqrt(float64(spread)))
	return r
}

func column(r *row, feature int32) float32 {
	sum := uint32(0)
	for i := 3 * feature; i < 3*feature+3; i++ {
		c := corners[4*i : 4*i+4]
		sum += uint32(weights[i]) * (r.cells[c[0]] - r.cells[c[1]] - r.cells[c[2]] + r.cells[c[3]])
	}
	return float32(int32(sum)) * r.scale
}
//: else
// Value is what a row holds: NFeatures of them; NaN is missing.
type Value = float32

type row = []Value

func load(x []Value) row {
	if len(x) != NFeatures {
		panic(fmt.Sprintf("got %d values, wanted %d", len(x), NFeatures))
	}
	return x
}

func column(x row, feature int32) float32 {
	return x[feature]
}
//: end

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
//: if probabilities

// Probabilities are the calibrated ones of the row x. The largest is that of the class with the
// largest score, however close the scores are.
func Probabilities(x []Value) (p [NClasses]float64) {
	var sums [nSums]int32
	_, exit := run(x, &sums)
	g, f := groups[exit], final(exit, &sums)
	best := winner(f)
//: if many
	sum := 0.0
	for k := range p {
		p[k] = exp(factors[g] * float64(float64(f[k])*unit-float64(f[best])*unit))
		sum += p[k]
	}
	for k := range p {
		p[k] /= sum
	}
//: else
	odds := float64(factors[g]*(float64(f[0])*unit)) + offsets[g]
	small := exp(-math.Abs(odds))
	p = [2]float64{small / (1 + small), small / (1 + small)}
	if odds <= 0 {
		p[0] = 1 / (1 + small)
	}
	if odds >= 0 {
		p[1] = 1 / (1 + small)
	}
//: end
	largest := 0
	for k := range p {
		if p[k] > p[largest] {
			largest = k
		}
	}
	if largest != best { // by one unit in the last place
		p[best] = math.Nextafter(p[largest], 1)
	}
	return
}
//: end
//: if exp

// exp(x) as x = k ln 2 / 128 + r: 2^(k/128) from a table, a polynomial for exp(r). Fused operations
// are called by name, so the result has the same bits everywhere.
func exp(x float64) float64 {
	if !(x > -1024 && x < 1024) {
		if x < 0 {
			return 0
		}
		return x * math.Inf(1)
	}
	if math.Abs(x) < 0x1p-54 {
		return 1 + x
	}
	const shift = 0x1.8p52 // a sum with it is rounded to a whole number
	whole := math.FMA(0x1.71547652b82fep7, x, shift) - shift
	k := int64(whole)
	r := math.FMA(whole, -0x1.cf79abc9e3b39p-47, math.FMA(whole, -0x1.62e42fefap-8, x))
	square := r * r
	rest := math.FMA(square, math.FMA(r, 0x1.555555555543cp-3, 0x1.ffffffffffdbdp-2),
		math.Float64frombits(twoPowers[2*(k&127)])+r)
	rest = math.FMA(square*square, math.FMA(r, 0x1.1111167a4d017p-7, 0x1.55555cf172b91p-5), rest)
	bits := twoPowers[2*(k&127)+1] + uint64(k)<<45
	if x > -512 && x < 512 {
		scale := math.Float64frombits(bits)
		return math.FMA(scale, rest, scale)
	}
	if k > 0 { // 2^(k/128) may be too large for a float64
		scale := math.Float64frombits(bits - 1009<<52)
		return 0x1p1009 * math.FMA(scale, rest, scale)
	}
	scale := math.Float64frombits(bits + 1022<<52) // it may be too small
	part := float64(scale * rest)
	y := scale + part
	if y < 1 { // round once, to as many bits as the result will have
		part = scale - y + part
		high := 1 + y
		part = 1 - high + y + part
		y = high + part - 1
	}
	return 0x1p-1022 * y
}
//: end
//: if named

var places, codes = func() (map[string]int, map[int]map[any]float32) {
	places, codes := map[string]int{}, map[int]map[any]float32{}
	for i, name := range FeatureNames {
		places[name] = i
	}
	for i, values := range Categories {
		codes[i] = map[any]float32{}
		for code, value := range values {
			codes[i][value] = float32(code)
		}
	}
	return places, codes
}()

// Encode is the row of a map by feature name: float64 or other numbers, bools, the values of
// categories, nil for missing.
func Encode(named map[string]any) ([]Value, error) {
	for name := range named {
		if _, known := places[name]; !known {
			return nil, fmt.Errorf("%q is no feature of the model", name)
		}
	}
	row := make([]Value, NFeatures)
	for i, name := range FeatureNames {
		value, given := named[name]
		if !given {
			return nil, fmt.Errorf("the row has no %q", name)
		}
		number, err := encoded(name, i, plain(value))
		if err != nil {
			return nil, err
		}
//: if not missing
		if number != number {
			return nil, fmt.Errorf("%q is missing, which the model does not know", name)
		}
//: end
		row[i] = number
	}
	return row, nil
}

// encoded is the number that trees read in the place of a value.
func encoded(name string, i int, value any) (Value, error) {
	missing := Value(math.NaN())
	number, isNumber := value.(float64)
	if value == nil || isNumber && number != number {
		return missing, nil
	}
	values, nominal := codes[i]
	if !nominal {
		if !isNumber {
			return missing, fmt.Errorf("%q is a %T, wanted a number", name, value)
		}
		return Value(number), nil
	}
	code, known := values[value]
	if known {
		return code, nil
	}
	for other := range values {
		if fmt.Sprintf("%T", other) == fmt.Sprintf("%T", value) {
//: if refuses
			return missing, fmt.Errorf("%q is %v, not there in training", name, value)
//: else
			return missing, nil
//: end
		}
	}
	if len(values) == 0 {
		return missing, nil
	}
	return missing, fmt.Errorf("%q is a %T, wanted a value of its categories", name, value)
}

// plain is a value as float64 where it is a number or a bool.
func plain(value any) any {
	switch v := reflect.ValueOf(value); v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return 1.0
		}
		return 0.0
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return float64(v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return float64(v.Uint())
	case reflect.Float32, reflect.Float64:
		return v.Float()
	}
	return value
}
//: end
