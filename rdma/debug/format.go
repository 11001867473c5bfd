package debug

import (
	"fmt"

	"github.com/godapl/godapl/internal/quantity"
)

// count is a number with a letter for thousands, so that columns stay narrow.
func count(n any) string {
	switch n := n.(type) {
	case int:
		return quantity.Number(float64(n))
	case uint64:
		return quantity.Number(float64(n))
	}
	return fmt.Sprint(n)
}
