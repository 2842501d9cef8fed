package result

import "testing"

func TestBlocksCutShortAreNotPaired(t *testing.T) {
	whole := []Sample{{Block: 0, Value: 2}, {Block: 0, Value: 4}, {Block: 1, Value: 1}, {Block: 1, Value: 1}}
	short := []Sample{{Block: 0, Value: 3}, {Block: 0, Value: 3}, {Block: 1, Value: 1}}
	blocks := Paired(Blocks(short), Blocks(whole))
	if len(blocks) != 1 || blocks[0].Ratio != 1 {
		t.Errorf("blocks %+v, want the first alone with ratio 1", blocks)
	}
}
