package dat

// IBEPCounter: Counters of an endpoint (DAT_EP_COUNTERS).
type IBEPCounter int

// The values of [IBEPCounter].
const (
	DCNTEPConnect          IBEPCounter = 0  // 2.0
	DCNTEPDisconnect       IBEPCounter = 1  // 2.0
	DCNTEPPostSend         IBEPCounter = 2  // 2.0
	DCNTEPPostSendData     IBEPCounter = 3  // 2.0
	DCNTEPPostSendUD       IBEPCounter = 4  // 2.0
	DCNTEPPostSendUDData   IBEPCounter = 5  // 2.0
	DCNTEPPostRecv         IBEPCounter = 6  // 2.0
	DCNTEPPostRecvData     IBEPCounter = 7  // 2.0
	DCNTEPPostWrite        IBEPCounter = 8  // 2.0
	DCNTEPPostWriteData    IBEPCounter = 9  // 2.0
	DCNTEPPostWriteImm     IBEPCounter = 10 // 2.0
	DCNTEPPostWriteImmData IBEPCounter = 11 // 2.0
	DCNTEPPostRead         IBEPCounter = 12 // 2.0
	DCNTEPPostReadData     IBEPCounter = 13 // 2.0
	DCNTEPPostCmpSwap      IBEPCounter = 14 // 2.0
	DCNTEPPostFetchAdd     IBEPCounter = 15 // 2.0
	DCNTEPRecv             IBEPCounter = 16 // 2.0
	DCNTEPRecvData         IBEPCounter = 17 // 2.0
	DCNTEPRecvUD           IBEPCounter = 18 // 2.0
	DCNTEPRecvUDData       IBEPCounter = 19 // 2.0
	DCNTEPRecvImm          IBEPCounter = 20 // 2.0
	DCNTEPRecvImmData      IBEPCounter = 21 // 2.0
	DCNTEPRecvRDMAImm      IBEPCounter = 22 // 2.0
	DCNTEPRecvRDMAImmData  IBEPCounter = 23 // 2.0
	DCNTEPAllCounters      IBEPCounter = 24 // 2.0
)

// IBEVDCounter: Counters of an event dispatcher (DAT_EVD_COUNTERS).
type IBEVDCounter int

// The values of [IBEVDCounter].
const (
	DCNTEVDWait             IBEVDCounter = 0  // 2.0
	DCNTEVDWaitBlocked      IBEVDCounter = 1  // 2.0
	DCNTEVDWaitNotify       IBEVDCounter = 2  // 2.0
	DCNTEVDDequeue          IBEVDCounter = 3  // 2.0
	DCNTEVDDequeueFound     IBEVDCounter = 4  // 2.0
	DCNTEVDDequeueNotFound  IBEVDCounter = 5  // 2.0
	DCNTEVDDequeuePoll      IBEVDCounter = 6  // 2.0
	DCNTEVDDequeuePollFound IBEVDCounter = 7  // 2.0
	DCNTEVDConnCallback     IBEVDCounter = 8  // 2.0
	DCNTEVDDTOCallback      IBEVDCounter = 9  // 2.0
	DCNTEVDAllCounters      IBEVDCounter = 10 // 2.0
)

// IBIACounterType: What dat_ib_start_counter samples (DAT_IA_COUNTER_TYPE).
type IBIACounterType int

// The values of [IBIACounterType].
const (
	DCNTIACM   IBIACounterType = 0 // 2.0
	DCNTIALnk  IBIACounterType = 1 // 2.0
	DCNTIADiag IBIACounterType = 2 // 2.0
)
