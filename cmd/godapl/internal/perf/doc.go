// Package perf is godapl perf, which measures the library in the manner of perftest and
// ucx_perftest. It uses what users can use: of this module only the public packages.
//
// The text of godapl help perf, in help*.go, tells what is measured, and the flags.
//
// An active side starts all operations, and a passive side follows its commands: in the
// same process, in a process that the active side starts (godapl perf peer), or on
// another host (godapl perf -serve). The files in the order of the story: main.go,
// flags.go, config.go, measure.go with active.go and passive.go; latency.go and rate.go, the two
// phases; face*.go, the ways to take completions; dat*.go and vipl*.go, the other APIs;
// call*.go, calls of many clients; compare.go, with what raw*.go, plain*.go and rival*.go
// have to compare with; services.go, the table of comparisons.
package perf
