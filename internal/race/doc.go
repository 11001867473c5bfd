// Package race says whether the race detector runs. Tests need that: under the detector
// everything takes about ten times as long, and code that allocates nothing allocates.
package race
