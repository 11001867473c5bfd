//go:build race

package integration_test

// raceEnabled makes tests do with less: everything takes ten times as long.
const raceEnabled = true
