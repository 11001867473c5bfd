package dat

// The collective operations that move data. sendbuf and recvbuf are memory, nil for the
// root's own where it takes part in place.

// IBCollectiveScatter deals the memory of the root out to all, in equal parts
// (dat_ib_collective_scatter): [NotImplemented].
func IBCollectiveScatter(collHandle IBCollectiveHandle, sendbuf []byte, sendsize Count, recvbuf []byte, recvsize Count, root IBCollectiveRank, userContext Context, flags CompletionFlags) Return {
	return notImplemented
}

// IBCollectiveScatterv is [IBCollectiveScatter] in parts of any size
// (dat_ib_collective_scatterv): [NotImplemented].
func IBCollectiveScatterv(collHandle IBCollectiveHandle, sendbuf []byte, sendsizes, displs []Count, recvbuf []byte, recvsize Count, root IBCollectiveRank, userContext Context, flags CompletionFlags) Return {
	return notImplemented
}

// IBCollectiveGather collects all members' memory at the root
// (dat_ib_collective_gather): [NotImplemented].
func IBCollectiveGather(collHandle IBCollectiveHandle, sendbuf []byte, sendsize Count, recvbuf []byte, recvsize Count, root IBCollectiveRank, userContext Context, flags CompletionFlags) Return {
	return notImplemented
}

// IBCollectiveGatherv is [IBCollectiveGather] in parts of any size
// (dat_ib_collective_gatherv): [NotImplemented].
func IBCollectiveGatherv(collHandle IBCollectiveHandle, sendbuf []byte, sendsize Count, recvbufs []byte, recvsizes, displs []Count, root IBCollectiveRank, userContext Context, flags CompletionFlags) Return {
	return notImplemented
}

// IBCollectiveAllgather collects all members' memory at each of them
// (dat_ib_collective_allgather): [NotImplemented].
func IBCollectiveAllgather(collHandle IBCollectiveHandle, sendbuf []byte, sendsize Count, recvbuf []byte, recvsize Count, userContext Context, flags CompletionFlags) Return {
	return notImplemented
}

// IBCollectiveAllgatherv is [IBCollectiveAllgather] in parts of any size
// (dat_ib_collective_allgatherv): [NotImplemented].
func IBCollectiveAllgatherv(collHandle IBCollectiveHandle, sendbuf []byte, sendsize Count, recvbuf []byte, recvsizes, displs []Count, userContext Context, flags CompletionFlags) Return {
	return notImplemented
}

// IBCollectiveAlltoall gives each member its part of every member's memory
// (dat_ib_collective_alltoall): [NotImplemented].
func IBCollectiveAlltoall(collHandle IBCollectiveHandle, sendbuf []byte, sendsize Count, recvbuf []byte, recvsize Count, userContext Context, flags CompletionFlags) Return {
	return notImplemented
}

// IBCollectiveAlltoallv is [IBCollectiveAlltoall] in parts of any size
// (dat_ib_collective_alltoallv): [NotImplemented].
func IBCollectiveAlltoallv(collHandle IBCollectiveHandle, sendbuf []byte, sendsizes, senddspls []Count, recvbuf []byte, recvsizes, recvdispls []Count, userContext Context, flags CompletionFlags) Return {
	return notImplemented
}

// IBCollectiveReduce combines all members' elements at the root
// (dat_ib_collective_reduce): [NotImplemented].
func IBCollectiveReduce(collHandle IBCollectiveHandle, sendbuf []byte, sendsize Count, recvbuf []byte, recvsize Count, op IBCollectiveReduceDataOp, dataType IBCollectiveDataType, root IBCollectiveRank, userContext Context, flags CompletionFlags) Return {
	return notImplemented
}

// IBCollectiveAllreduce combines all members' elements at each of them
// (dat_ib_collective_allreduce): [NotImplemented].
func IBCollectiveAllreduce(collHandle IBCollectiveHandle, sendbuf []byte, sendsize Count, recvbuf []byte, recvsize Count, op IBCollectiveReduceDataOp, dataType IBCollectiveDataType, userContext Context, flags CompletionFlags) Return {
	return notImplemented
}

// IBCollectiveReduceScatter combines all members' elements and deals the result out
// (dat_ib_collective_reduce_scatter): [NotImplemented].
func IBCollectiveReduceScatter(collHandle IBCollectiveHandle, sendbuf []byte, sendsize Count, recvbuf []byte, recvsizes []Count, op IBCollectiveReduceDataOp, dataType IBCollectiveDataType, userContext Context, flags CompletionFlags) Return {
	return notImplemented
}

// IBCollectiveScan gives each member the combination of those up to it
// (dat_ib_collective_scan): [NotImplemented].
func IBCollectiveScan(collHandle IBCollectiveHandle, sendbuf []byte, sendsize Count, recvbuf []byte, recvsize Count, op IBCollectiveReduceDataOp, dataType IBCollectiveDataType, userContext Context, flags CompletionFlags) Return {
	return notImplemented
}

// IBCollectiveBroadcast copies the root's memory to all (dat_ib_collective_broadcast):
// [NotImplemented].
func IBCollectiveBroadcast(collHandle IBCollectiveHandle, buf []byte, size Count, root IBCollectiveRank, userContext Context, flags CompletionFlags) Return {
	return notImplemented
}

// IBCollectiveBarrier waits for all (dat_ib_collective_barrier): [NotImplemented].
func IBCollectiveBarrier(collHandle IBCollectiveHandle, userContext Context, flags CompletionFlags) Return {
	return notImplemented
}
