//go:build !race

package vipl_test

const raceEnabled = false
