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
