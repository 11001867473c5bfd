package dat

// The collective operations of the InfiniBand extension (2.0), which an MPI library
// may leave to an adapter. No adapter here has them. Their arguments are not looked
// at: no description of them was to be had.

// IBCollectiveCreateMember is dat_ib_collective_create_member: [NotImplemented].
func IBCollectiveCreateMember(args ...any) Return { return notImplemented }

// IBCollectiveFreeMember is dat_ib_collective_free_member: [NotImplemented].
func IBCollectiveFreeMember(args ...any) Return { return notImplemented }

// IBCollectiveCreateGroup is dat_ib_collective_create_group: [NotImplemented].
func IBCollectiveCreateGroup(args ...any) Return { return notImplemented }

// IBCollectiveFreeGroup is dat_ib_collective_free_group: [NotImplemented].
func IBCollectiveFreeGroup(args ...any) Return { return notImplemented }

// IBCollectiveSetClock is dat_ib_collective_set_clock: [NotImplemented].
func IBCollectiveSetClock(args ...any) Return { return notImplemented }

// IBCollectiveReadClock is dat_ib_collective_read_clock: [NotImplemented].
func IBCollectiveReadClock(args ...any) Return { return notImplemented }

// IBCollectiveScatter is dat_ib_collective_scatter: [NotImplemented].
func IBCollectiveScatter(args ...any) Return { return notImplemented }

// IBCollectiveScatterv is dat_ib_collective_scatterv: [NotImplemented].
func IBCollectiveScatterv(args ...any) Return { return notImplemented }

// IBCollectiveGather is dat_ib_collective_gather: [NotImplemented].
func IBCollectiveGather(args ...any) Return { return notImplemented }

// IBCollectiveGatherv is dat_ib_collective_gatherv: [NotImplemented].
func IBCollectiveGatherv(args ...any) Return { return notImplemented }

// IBCollectiveAllgather is dat_ib_collective_allgather: [NotImplemented].
func IBCollectiveAllgather(args ...any) Return { return notImplemented }

// IBCollectiveAllgatherv is dat_ib_collective_allgatherv: [NotImplemented].
func IBCollectiveAllgatherv(args ...any) Return { return notImplemented }

// IBCollectiveAlltoall is dat_ib_collective_alltoall: [NotImplemented].
func IBCollectiveAlltoall(args ...any) Return { return notImplemented }

// IBCollectiveAlltoallv is dat_ib_collective_alltoallv: [NotImplemented].
func IBCollectiveAlltoallv(args ...any) Return { return notImplemented }

// IBCollectiveReduce is dat_ib_collective_reduce: [NotImplemented].
func IBCollectiveReduce(args ...any) Return { return notImplemented }

// IBCollectiveAllreduce is dat_ib_collective_allreduce: [NotImplemented].
func IBCollectiveAllreduce(args ...any) Return { return notImplemented }

// IBCollectiveReduceScatter is dat_ib_collective_reduce_scatter: [NotImplemented].
func IBCollectiveReduceScatter(args ...any) Return { return notImplemented }

// IBCollectiveScan is dat_ib_collective_scan: [NotImplemented].
func IBCollectiveScan(args ...any) Return { return notImplemented }

// IBCollectiveBroadcast is dat_ib_collective_broadcast: [NotImplemented].
func IBCollectiveBroadcast(args ...any) Return { return notImplemented }

// IBCollectiveBarrier is dat_ib_collective_barrier: [NotImplemented].
func IBCollectiveBarrier(args ...any) Return { return notImplemented }
