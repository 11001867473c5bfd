//go:build race

package dat_test

const raceEnabled = true
