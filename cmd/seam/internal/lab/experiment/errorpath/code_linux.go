package errorpath

import (
	"context"
	"debug/elf"
	"regexp"
	"strconv"

	"github.com/seamgo/seam/cmd/seam/internal/lab"
)

// decoderSymbol matches the methods that decode a type, with its number, and the
// functions of lists and maps, without.
var decoderSymbol = regexp.MustCompile(`/` + decodersDir + `\.(?:\(\*T(\d{3})\)\.\w*DecodeBinary|` + idlFile + `ReadBinary\w*)$`)

// shared is the number under which the code common to all types is counted.
const shared = -1

// codeSizes gives the bytes of code of each type's decoder, by number.
func codeSizes(path string) (map[int]uint64, error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		return nil, err
	}
	sizes := map[int]uint64{}
	for _, s := range symbols {
		if m := decoderSymbol.FindStringSubmatch(s.Name); m != nil && elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			i := shared
			if m[1] != "" {
				if i, err = strconv.Atoi(m[1]); err != nil {
					return nil, err
				}
			}
			sizes[i] += s.Size
		}
	}
	return sizes, nil
}

// probeCode measures how much code the decoders are. The order of functions
// does not change that.
func (v variant) probeCode(ctx context.Context, b *lab.Bench) ([]lab.Metric, error) {
	var list []lab.Metric
	for _, layout := range v.layouts() {
		path, err := v.program(ctx, b, layout)
		if err != nil {
			return nil, err
		}
		sizes, err := codeSizes(path)
		if err != nil {
			return nil, lab.Skip("the symbols of the decoders can't be read: %v", err)
		}
		for _, n := range v.sizesOf(b.Mode) {
			sum := sizes[shared]
			for i := range n {
				if sizes[i] == 0 {
					return nil, lab.Skip("the program has no symbols for the decoder of %s", typeName(i))
				}
				sum += sizes[i]
			}
			list = append(list, lab.Metric{Name: name(layout, n), Unit: unitCode, Value: float64(sum), Label: label(layout, n) + ": code"})
		}
	}
	return list, nil
}
