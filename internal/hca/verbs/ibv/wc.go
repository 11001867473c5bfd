package ibv

import "structs"

// WCStatus is enum ibv_wc_status: how a work request ended.
type WCStatus uint32

// Statuses of completions.
const (
	WCSuccess WCStatus = iota
	WCLocLenErr
	WCLocQPOpErr
	WCLocEECOpErr
	WCLocProtErr
	WCWRFlushErr
	WCMWBindErr
	WCBadRespErr
	WCLocAccessErr
	WCRemInvReqErr
	WCRemAccessErr
	WCRemOpErr
	WCRetryExcErr
	WCRNRRetryExcErr
	WCLocRDDViolErr
	WCRemInvRDReqErr
	WCRemAbortErr
	WCInvEECNErr
	WCInvEECStateErr
	WCFatalErr
	WCRespTimeoutErr
	WCGeneralErr
	WCTMErr
	WCTMRndvIncomplete
)

// WCOpcode is enum ibv_wc_opcode: what kind of work request ended.
type WCOpcode uint32

// Opcodes of completions. They are valid only with WCSuccess.
const (
	WCSend WCOpcode = iota
	WCRDMAWrite
	WCRDMARead
	WCCompSwap
	WCFetchAdd
	WCBindMW
	WCLocalInv

	WCRecv            WCOpcode = 1 << 7
	WCRecvRDMAWithImm WCOpcode = WCRecv + 1
)

// WCFlags is enum ibv_wc_flags.
type WCFlags uint32

// Flags of completions.
const (
	WCGRH     WCFlags = 1 << 0
	WCWithImm WCFlags = 1 << 1
	WCWithInv WCFlags = 1 << 3
)

// WC is struct ibv_wc, a work completion. Where Status is not WCSuccess, only
// ID, Status, QPNum and VendorErr are valid.
type WC struct {
	_         structs.HostLayout
	ID        uint64
	Status    WCStatus
	Opcode    WCOpcode
	VendorErr uint32
	ByteLen   uint32
	// ImmOrKey is the immediate data in network byte order (Imm), or the key that
	// was invalidated (InvalidatedKey).
	ImmOrKey     uint32
	QPNum        uint32
	SrcQP        uint32
	Flags        WCFlags
	PKeyIndex    uint16
	SLID         uint16
	SL           uint8
	DLIDPathBits uint8
}

// Imm gives the immediate data in host byte order; valid with WCWithImm.
func (c *WC) Imm() uint32 { return hton32(c.ImmOrKey) }

// InvalidatedKey gives the remote key that the peer invalidated; valid with
// WCWithInv.
func (c *WC) InvalidatedKey() uint32 { return c.ImmOrKey }
