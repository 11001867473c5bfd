package dat

var ibepCounterWords = words[IBEPCounter]{
	{DCNTEPConnect, "DCNT_EP_CONNECT"},
	{DCNTEPDisconnect, "DCNT_EP_DISCONNECT"},
	{DCNTEPPostSend, "DCNT_EP_POST_SEND"},
	{DCNTEPPostSendData, "DCNT_EP_POST_SEND_DATA"},
	{DCNTEPPostSendUD, "DCNT_EP_POST_SEND_UD"},
	{DCNTEPPostSendUDData, "DCNT_EP_POST_SEND_UD_DATA"},
	{DCNTEPPostRecv, "DCNT_EP_POST_RECV"},
	{DCNTEPPostRecvData, "DCNT_EP_POST_RECV_DATA"},
	{DCNTEPPostWrite, "DCNT_EP_POST_WRITE"},
	{DCNTEPPostWriteData, "DCNT_EP_POST_WRITE_DATA"},
	{DCNTEPPostWriteImm, "DCNT_EP_POST_WRITE_IMM"},
	{DCNTEPPostWriteImmData, "DCNT_EP_POST_WRITE_IMM_DATA"},
	{DCNTEPPostRead, "DCNT_EP_POST_READ"},
	{DCNTEPPostReadData, "DCNT_EP_POST_READ_DATA"},
	{DCNTEPPostCmpSwap, "DCNT_EP_POST_CMP_SWAP"},
	{DCNTEPPostFetchAdd, "DCNT_EP_POST_FETCH_ADD"},
	{DCNTEPRecv, "DCNT_EP_RECV"},
	{DCNTEPRecvData, "DCNT_EP_RECV_DATA"},
	{DCNTEPRecvUD, "DCNT_EP_RECV_UD"},
	{DCNTEPRecvUDData, "DCNT_EP_RECV_UD_DATA"},
	{DCNTEPRecvImm, "DCNT_EP_RECV_IMM"},
	{DCNTEPRecvImmData, "DCNT_EP_RECV_IMM_DATA"},
	{DCNTEPRecvRDMAImm, "DCNT_EP_RECV_RDMA_IMM"},
	{DCNTEPRecvRDMAImmData, "DCNT_EP_RECV_RDMA_IMM_DATA"},
	{DCNTEPAllCounters, "DCNT_EP_ALL_COUNTERS"},
}

// String gives the name of the value as C spells it.
func (v IBEPCounter) String() string { return ibepCounterWords.one(v) }

var ibevdCounterWords = words[IBEVDCounter]{
	{DCNTEVDWait, "DCNT_EVD_WAIT"},
	{DCNTEVDWaitBlocked, "DCNT_EVD_WAIT_BLOCKED"},
	{DCNTEVDWaitNotify, "DCNT_EVD_WAIT_NOTIFY"},
	{DCNTEVDDequeue, "DCNT_EVD_DEQUEUE"},
	{DCNTEVDDequeueFound, "DCNT_EVD_DEQUEUE_FOUND"},
	{DCNTEVDDequeueNotFound, "DCNT_EVD_DEQUEUE_NOT_FOUND"},
	{DCNTEVDDequeuePoll, "DCNT_EVD_DEQUEUE_POLL"},
	{DCNTEVDDequeuePollFound, "DCNT_EVD_DEQUEUE_POLL_FOUND"},
	{DCNTEVDConnCallback, "DCNT_EVD_CONN_CALLBACK"},
	{DCNTEVDDTOCallback, "DCNT_EVD_DTO_CALLBACK"},
	{DCNTEVDAllCounters, "DCNT_EVD_ALL_COUNTERS"},
}

// String gives the name of the value as C spells it.
func (v IBEVDCounter) String() string { return ibevdCounterWords.one(v) }

var ibiaCounterTypeWords = words[IBIACounterType]{
	{DCNTIACM, "DCNT_IA_CM"},
	{DCNTIALnk, "DCNT_IA_LNK"},
	{DCNTIADiag, "DCNT_IA_DIAG"},
}

// String gives the name of the value as C spells it.
func (v IBIACounterType) String() string { return ibiaCounterTypeWords.one(v) }
