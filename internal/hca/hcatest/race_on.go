//go:build race

package hcatest

const raceEnabled = true
