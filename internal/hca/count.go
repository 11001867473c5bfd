package hca

import "strconv"

// Count is a number of things in words: "1 window", "2 windows".
func Count(n int, kind string) string {
	if n != 1 {
		kind += "s"
	}
	return strconv.Itoa(n) + " " + kind
}

// CountIs is Count with its verb: "1 window is", "2 windows are".
func CountIs(n int, kind string) string {
	if n == 1 {
		return Count(n, kind) + " is"
	}
	return Count(n, kind) + " are"
}
