//: if patches
// Value is what a row holds: NFeatures gray levels of a patch, row by row.
type Value = uint8

// A patch: its integral image is made once; a feature, up to three rectangles with weights, is
// computed when a split reads it:
//
//	value = sum of weight x pixels / (area x deviation), the deviation at least one gray level.
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
