package quantity

import (
	"fmt"
	"time"
)

// Number is a number with a letter for thousands: "1.5 k".
func Number(x float64) string { return short(x, 1000, "kMGTPE") }

// Rate is a number in a second; "" for none.
func Rate(x float64) string {
	if x == 0 {
		return ""
	}
	return Number(x)
}

// Bytes is a size: "3.0 MiB".
func Bytes(n uint64) string {
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	return short(float64(n), 1024, "KMGTPE") + "iB"
}

// Idle is a time without progress; "" for less than a second.
func Idle(d time.Duration) string {
	if d < time.Second {
		return ""
	}
	return d.Round(time.Second).String()
}

// Latency is a time with three digits at most; "" for none.
func Latency(d time.Duration) string {
	switch {
	case d <= 0:
		return ""
	case d < time.Microsecond:
		return d.String()
	case d < time.Millisecond:
		return digits(d, time.Microsecond) + " µs"
	case d < time.Second:
		return digits(d, time.Millisecond) + " ms"
	}
	return digits(d, time.Second) + " s"
}

func digits(d, unit time.Duration) string {
	x := float64(d) / float64(unit)
	if x < 100 {
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
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
