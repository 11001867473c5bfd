package rdma_test

import "testing"

// BenchmarkShmMessage is what BenchmarkTCPMessage is, over shared memory. It has no
// system calls in it, and no cache line goes to another processor: all of it is the
// library's own.
func BenchmarkShmMessage(b *testing.B) { benchMessage(b, "soft-shm") }

// BenchmarkShmEmptyPoll looks for what is not there.
func BenchmarkShmEmptyPoll(b *testing.B) { benchEmptyPoll(b, "soft-shm") }
