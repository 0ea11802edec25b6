// Runs every exported package on its rows: reads NAME.rows, writes NAME.out, doubles row by row.
// With a number of rounds it also prints the nanoseconds that Predict takes for a row.
package main

import (
	"bytes"
	endian "encoding/binary"
	"fmt"
	"os"
	"strconv"
	"syscall"

@IMPORTS@
)

func content(folder, name string) []byte {
	data, err := os.ReadFile(folder + "/" + name + ".rows")
	if err != nil {
		panic(err)
	}
	return data
}

func floats(folder, name string, n int) [][]float32 {
	data := content(folder, name)
	all := make([]float32, len(data)/4)
	endian.Read(bytes.NewReader(data), endian.LittleEndian, all)
	rows := [][]float32{}
	for i := 0; i+n <= len(all); i += n {
		rows = append(rows, all[i:i+n])
	}
	return rows
}

func levels(folder, name string, n int) [][]uint8 {
	all := content(folder, name)
	rows := [][]uint8{}
	for i := 0; i+n <= len(all); i += n {
		rows = append(rows, all[i:i+n])
	}
	return rows
}

func seconds() float64 {
	var used syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return float64(used.Utime.Sec) + float64(used.Utime.Usec)*1e-6
}

func drive[X any](folder, name string, rounds int, rows []X, predict func(X) float64,
	evaluations func(X) int, scores, probabilities func(X) []float64) {
	out := new(bytes.Buffer)
	for _, x := range rows {
		numbers := append([]float64{predict(x), float64(evaluations(x))}, scores(x)...)
		if probabilities != nil {
			numbers = append(numbers, probabilities(x)...)
		}
		endian.Write(out, endian.LittleEndian, numbers)
	}
	os.WriteFile(folder+"/"+name+".out", out.Bytes(), 0o666)
	if rounds == 0 {
		return
	}
	sum, from := 0.0, 0.0
	for r := -1; r < rounds; r++ {
		if r <= 0 {
			from = seconds()
		}
		for _, x := range rows {
			sum += predict(x)
		}
	}
	fmt.Println(name, (seconds()-from)*1e9/float64(len(rows)*rounds), sum)
}

func main() {
	folder, rounds := os.Args[1], 0
	if len(os.Args) > 2 {
		rounds, _ = strconv.Atoi(os.Args[2])
	}
@CALLS@
}
