package rdma_test

import (
	"testing"

	"github.com/godapl/godapl/rdma"
)

// BenchmarkShmMessage is what BenchmarkTCPMessage is, over shared memory. It has no
// system calls in it, and no cache line goes to another processor: all of it is the
// library's own.
func BenchmarkShmMessage(b *testing.B) { benchMessage(b, "soft-shm") }

// BenchmarkShmEmptyPoll looks for what is not there.
func BenchmarkShmEmptyPoll(b *testing.B) {
	x, _ := connect(b, "soft-shm")
	var c [4]rdma.Completion
	d := x.conn.Receives()
	for b.Loop() {
		d.Poll(c[:])
	}
}
