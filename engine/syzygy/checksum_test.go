package syzygy

import (
	"os"
	"path/filepath"
	"testing"
)

func TestChecksumsOfRealTablesFit(t *testing.T) {
	root := os.Getenv("ZEITNOT_TESTDATA")
	if root == "" {
		t.Skip("ZEITNOT_TESTDATA names no folder with tablebases")
	}
	paths, err := filepath.Glob(filepath.Join(root, "syzygy", "*", "*.rtb[wz]"))
	if err != nil || len(paths) < 80 {
		t.Fatalf("%d files (%v), want 80", len(paths), err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := verifyChecksum(data); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		data[len(data)/2] ^= 4
		if err := verifyChecksum(data); err == nil {
			t.Errorf("%s: one changed bit goes unnoticed", path)
		}
	}
}

// The values are those of the C implementation that writes the tables (syzygy1/tb), for the
// high bytes of a linear congruential generator. Only tables of more than 64 MiB use the
// larger ones.
func TestHashIsThatOfTheTablesWriter(t *testing.T) {
	data := make([]byte, 4096)
	x := uint32(1)
	for i := range data {
		x = x*1664525 + 1013904223
		data[i] = byte(x >> 24)
	}
	for _, c := range []struct {
		size          int
		first, second uint64
	}{
		{32, 0xc77aa32c0e4b1d42, 0x1b45b75e6b924b32},
		{64, 0x67a90bb9aa375386, 0x4c76ddacc49ff1b9},
		{96, 0x3aaf6285d78e72d0, 0xef468c41816c0732},
		{128, 0xa07dedafc151f036, 0x4463891436f4a90f},
		{160, 0x71a6374b1b4083e8, 0xbe8b9dc2b1d73b11},
		{192, 0x8cecdc008460dae0, 0x3e08c74d6ca06de8},
		{256, 0x68552e5bde75d7dc, 0x9f2add71e3f8d9d5},
		{512, 0x1f986b953244b9b6, 0xfaa915484a3b781d},
		{896, 0x44d13114fff0cbf5, 0xe6b33a1d2e05463d},
		{928, 0x310261003286ca41, 0xe6352d18f804f8f5},
		{4096, 0xafbeefecb24712a4, 0x5064ff0a60e94df6},
	} {
		if first, second := cityCrc128(data[:c.size]); first != c.first || second != c.second {
			t.Errorf("%d bytes: %016x %016x, want %016x %016x", c.size, first, second, c.first, c.second)
		}
	}
}

func BenchmarkChecksum(b *testing.B) {
	data := make([]byte, 1<<20)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		cityCrc256(data)
	}
}
