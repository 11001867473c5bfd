package softtest

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// SeedOf returns the seed of a test's random numbers, and logs it.
func SeedOf(t *testing.T) uint64 {
	seed, err := strconv.ParseUint(os.Getenv("GODAPL_SEED"), 10, 64)
	if err != nil {
		seed = rand.Uint64()
	}
	t.Logf("GODAPL_SEED=%d", seed)
	return seed
}
