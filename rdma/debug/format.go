package debug

import (
	"fmt"
	"time"
)

// count is a number with a letter for thousands, so that columns stay narrow.
func count(n any) string {
	switch n := n.(type) {
	case int:
		return short(float64(n), 1000, "kMGTPE")
	case uint64:
		return short(float64(n), 1000, "kMGTPE")
	}
	return fmt.Sprint(n)
}

// size is a number of bytes.
func size(n uint64) string {
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	return short(float64(n), 1024, "KMGTPE") + "iB"
}

// rate is a number in a second; "" for none.
func rate(x float64) string {
	if x == 0 {
		return ""
	}
	return short(x, 1000, "kMGTPE")
}

// idle is a time without progress; "" for less than a second.
func idle(d time.Duration) string {
	if d < time.Second {
		return ""
	}
	return d.Round(time.Second).String()
}

// short is a number with at most one digit behind the point, and the letter of its unit.
func short(x, unit float64, letters string) string {
	at := -1
	for x >= unit && at+1 < len(letters) {
		x /= unit
		at++
	}
	switch {
	case at >= 0:
		return fmt.Sprintf("%.1f %c", x, letters[at])
	case x == float64(int64(x)):
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.1f", x)
}
