package dat

// Calls of 2.0 that this package does not implement. They exist so that a port compiles
// and gets an error.

var notImplemented = failure(NotImplemented, NoSubtype)

// IBAddrHandle names a datagram peer (DAT_IB_ADDR_HANDLE). 2.0.
type IBAddrHandle struct {
	AH     Pvoid
	Qpn    uint32
	IAAddr IAAddressPtr
}

// IBPostSendUD sends a datagram (dat_ib_post_send_ud): [NotImplemented].
func IBPostSendUD(epHandle EPHandle, numSegments Count, localIOV []LMRTriplet, ah *IBAddrHandle, userCookie DTOCookie, completionFlags CompletionFlags) Return {
	return notImplemented
}

// IBUDCMFree frees the set-up of a datagram peer (dat_ib_ud_cm_free):
// [NotImplemented].
func IBUDCMFree(epHandle EPHandle, cm Context) Return { return notImplemented }

// IBUDAHFree frees the address of a datagram peer (dat_ib_ud_ah_free):
// [NotImplemented].
func IBUDAHFree(epHandle EPHandle, ah *IBAddrHandle) Return { return notImplemented }

// IBQueryCounters reads a counter (dat_ib_query_counters): [NotImplemented].
func IBQueryCounters[H AnyHandle](datHandle H, counter int, pCntrsOut []uint64, reset int) Return {
	return notImplemented
}

// IBPrintCounters prints counters (dat_ib_print_counters): [NotImplemented].
func IBPrintCounters[H AnyHandle](datHandle H, counter int, reset int) Return { return notImplemented }

// IBStartCounter starts sampling (dat_ib_start_counter): [NotImplemented].
func IBStartCounter(iaHandle IAHandle, counterType IBIACounterType) Return { return notImplemented }

// IBStopCounter ends sampling (dat_ib_stop_counter): [NotImplemented].
func IBStopCounter(iaHandle IAHandle, counterType IBIACounterType) Return { return notImplemented }

// IWSSPHandle is a socket service point (DAT_IW_SSP_HANDLE). 2.0.
type IWSSPHandle Handle

// IWSSPParam is the result of dat_iw_ssp_query (DAT_IW_SSP_PARAM). 2.0.
type IWSSPParam struct {
	IAHandle  IAHandle
	SocketID  int
	EVDHandle EVDHandle
	EPHandle  EPHandle
	SSPState  IWSSPState
}

// IWSSPCreate waits on a connected socket for the switch to RDMA
// (dat_iw_ssp_create): [NotImplemented].
func IWSSPCreate(iaHandle IAHandle, socket int, epHandle EPHandle, evdHandle EVDHandle, finalStreamingMessage []byte, length Count, sspHandle *IWSSPHandle) Return {
	return notImplemented
}

// IWSSPFree frees a socket service point (dat_iw_ssp_free): [NotImplemented].
func IWSSPFree(sspHandle IWSSPHandle) Return { return notImplemented }

// IWSSPQuery would return the properties of a socket service point (dat_iw_ssp_query):
// [NotImplemented].
func IWSSPQuery(sspHandle IWSSPHandle, mask IWSSPParamMask, param *IWSSPParam) Return {
	return notImplemented
}

// IWSocketConnect connects over a socket (dat_iw_socket_connect): [NotImplemented].
func IWSocketConnect(epHandle EPHandle, socket int, timeout Timeout, privateDataSize Count, privateData []byte) Return {
	return notImplemented
}
