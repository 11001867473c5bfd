//go:build !race

package rdma_test

const raceDetector = false
