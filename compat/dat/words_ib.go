package dat

var extendedOpWords = words[ExtendedOp]{
	{IBFetchAndAddOp, "DAT_IB_FETCH_AND_ADD_OP"},
	{IBCmpAndSwapOp, "DAT_IB_CMP_AND_SWAP_OP"},
	{IBRDMAWriteImmedOp, "DAT_IB_RDMA_WRITE_IMMED_OP"},
	{IBUDSendOp, "DAT_IB_UD_SEND_OP"},
	{IBQueryCountersOp, "DAT_IB_QUERY_COUNTERS_OP"},
	{IBPrintCountersOp, "DAT_IB_PRINT_COUNTERS_OP"},
	{IBCollectiveCreateMemberOp, "DAT_IB_COLLECTIVE_CREATE_MEMBER_OP"},
	{IBCollectiveFreeMemberOp, "DAT_IB_COLLECTIVE_FREE_MEMBER_OP"},
	{IBCollectiveCreateGroupOp, "DAT_IB_COLLECTIVE_CREATE_GROUP_OP"},
	{IBCollectiveFreeGroupOp, "DAT_IB_COLLECTIVE_FREE_GROUP_OP"},
	{IBCollectiveSetClockOp, "DAT_IB_COLLECTIVE_SET_CLOCK_OP"},
	{IBCollectiveReadClockOp, "DAT_IB_COLLECTIVE_READ_CLOCK_OP"},
	{IBCollectiveScatterOp, "DAT_IB_COLLECTIVE_SCATTER_OP"},
	{IBCollectiveScattervOp, "DAT_IB_COLLECTIVE_SCATTERV_OP"},
	{IBCollectiveGatherOp, "DAT_IB_COLLECTIVE_GATHER_OP"},
	{IBCollectiveGathervOp, "DAT_IB_COLLECTIVE_GATHERV_OP"},
	{IBCollectiveAllgatherOp, "DAT_IB_COLLECTIVE_ALLGATHER_OP"},
	{IBCollectiveAllgathervOp, "DAT_IB_COLLECTIVE_ALLGATHERV_OP"},
	{IBCollectiveAlltoallOp, "DAT_IB_COLLECTIVE_ALLTOALL_OP"},
	{IBCollectiveAlltoallvOp, "DAT_IB_COLLECTIVE_ALLTOALLV_OP"},
	{IBCollectiveReduceOp, "DAT_IB_COLLECTIVE_REDUCE_OP"},
	{IBCollectiveAllreduceOp, "DAT_IB_COLLECTIVE_ALLREDUCE_OP"},
	{IBCollectiveReduceScatterOp, "DAT_IB_COLLECTIVE_REDUCE_SCATTER_OP"},
	{IBCollectiveScanOp, "DAT_IB_COLLECTIVE_SCAN_OP"},
	{IBCollectiveBroadcastOp, "DAT_IB_COLLECTIVE_BROADCAST_OP"},
	{IBCollectiveBarrierOp, "DAT_IB_COLLECTIVE_BARRIER_OP"},
	{IBStartCountersOp, "DAT_IB_START_COUNTERS_OP"},
	{IBStopCountersOp, "DAT_IB_STOP_COUNTERS_OP"},
	{IBUDCMFreeOp, "DAT_IB_UD_CM_FREE_OP"},
	{IBUDAHFreeOp, "DAT_IB_UD_AH_FREE_OP"},
	{IBOpenQueryOp, "DAT_IB_OPEN_QUERY_OP"},
	{IBCloseQueryOp, "DAT_IB_CLOSE_QUERY_OP"},
}

// String gives the name of the value as C spells it.
func (v ExtendedOp) String() string { return extendedOpWords.one(v) }

var ibExtTypeWords = words[IBExtType]{
	{IBFetchAndAdd, "DAT_IB_FETCH_AND_ADD"},
	{IBCmpAndSwap, "DAT_IB_CMP_AND_SWAP"},
	{IBRDMAWriteImmed, "DAT_IB_RDMA_WRITE_IMMED"},
	{IBRDMAWriteImmedData, "DAT_IB_RDMA_WRITE_IMMED_DATA"},
	{IBRecvImmedData, "DAT_IB_RECV_IMMED_DATA"},
	{IBUDConnectRequest, "DAT_IB_UD_CONNECT_REQUEST"},
	{IBUDRemoteAH, "DAT_IB_UD_REMOTE_AH"},
	{IBUDPassiveRemoteAH, "DAT_IB_UD_PASSIVE_REMOTE_AH"},
	{IBUDSend, "DAT_IB_UD_SEND"},
	{IBUDRecv, "DAT_IB_UD_RECV"},
	{IBUDConnectReject, "DAT_IB_UD_CONNECT_REJECT"},
	{IBUDConnectError, "DAT_IB_UD_CONNECT_ERROR"},
	{IBCollectiveCreateStatus, "DAT_IB_COLLECTIVE_CREATE_STATUS"},
	{IBCollectiveCreateData, "DAT_IB_COLLECTIVE_CREATE_DATA"},
	{IBCollectiveClockSetStatus, "DAT_IB_COLLECTIVE_CLOCK_SET_STATUS"},
	{IBCollectiveScatterStatus, "DAT_IB_COLLECTIVE_SCATTER_STATUS"},
	{IBCollectiveScattervStatus, "DAT_IB_COLLECTIVE_SCATTERV_STATUS"},
	{IBCollectiveGatherStatus, "DAT_IB_COLLECTIVE_GATHER_STATUS"},
	{IBCollectiveGathervStatus, "DAT_IB_COLLECTIVE_GATHERV_STATUS"},
	{IBCollectiveAllgatherStatus, "DAT_IB_COLLECTIVE_ALLGATHER_STATUS"},
	{IBCollectiveAllgathervStatus, "DAT_IB_COLLECTIVE_ALLGATHERV_STATUS"},
	{IBCollectiveAlltoallStatus, "DAT_IB_COLLECTIVE_ALLTOALL_STATUS"},
	{IBCollectiveAlltoallvStatus, "DAT_IB_COLLECTIVE_ALLTOALLV_STATUS"},
	{IBCollectiveReduceStatus, "DAT_IB_COLLECTIVE_REDUCE_STATUS"},
	{IBCollectiveAllreduceStatus, "DAT_IB_COLLECTIVE_ALLREDUCE_STATUS"},
	{IBCollectiveReduceScatterStatus, "DAT_IB_COLLECTIVE_REDUCE_SCATTER_STATUS"},
	{IBCollectiveScanStatus, "DAT_IB_COLLECTIVE_SCAN_STATUS"},
	{IBCollectiveBroadcastStatus, "DAT_IB_COLLECTIVE_BROADCAST_STATUS"},
	{IBCollectiveBarrierStatus, "DAT_IB_COLLECTIVE_BARRIER_STATUS"},
}

// String gives the name of the value as C spells it.
func (v IBExtType) String() string { return ibExtTypeWords.one(v) }

var ibStatusWords = words[IBStatus]{
	{OpSuccess, "DAT_OP_SUCCESS"},
	{IBOpErr, "DAT_IB_OP_ERR"},
	{IBCollCompErr, "DAT_IB_COLL_COMP_ERR"},
}

// String gives the name of the value as C spells it.
func (v IBStatus) String() string { return ibStatusWords.one(v) }
