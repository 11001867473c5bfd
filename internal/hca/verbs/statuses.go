package verbs

import (
	"github.com/godapl/godapl/internal/hca"
	"github.com/godapl/godapl/internal/hca/verbs/ibv"
)

// status translates a completion's status.
func status(v ibv.WCStatus) hca.Status {
	if int(v) < len(statuses) {
		return statuses[v].status
	}
	return hca.StatusFatal
}

// statuses are those of work completions: what each is here, and its name.
var statuses = [...]struct {
	status hca.Status
	name   string
}{
	ibv.WCSuccess:          {hca.StatusOK, "IBV_WC_SUCCESS"},
	ibv.WCLocLenErr:        {hca.StatusLocalLength, "IBV_WC_LOC_LEN_ERR"},
	ibv.WCLocQPOpErr:       {hca.StatusLocalQP, "IBV_WC_LOC_QP_OP_ERR"},
	ibv.WCLocEECOpErr:      {hca.StatusLocalQP, "IBV_WC_LOC_EEC_OP_ERR"},
	ibv.WCLocProtErr:       {hca.StatusLocalProtection, "IBV_WC_LOC_PROT_ERR"},
	ibv.WCWRFlushErr:       {hca.StatusFlushed, "IBV_WC_WR_FLUSH_ERR"},
	ibv.WCMWBindErr:        {hca.StatusBindFailed, "IBV_WC_MW_BIND_ERR"},
	ibv.WCBadRespErr:       {hca.StatusBadResponse, "IBV_WC_BAD_RESP_ERR"},
	ibv.WCLocAccessErr:     {hca.StatusLocalProtection, "IBV_WC_LOC_ACCESS_ERR"},
	ibv.WCRemInvReqErr:     {hca.StatusRemoteInvalid, "IBV_WC_REM_INV_REQ_ERR"},
	ibv.WCRemAccessErr:     {hca.StatusRemoteAccess, "IBV_WC_REM_ACCESS_ERR"},
	ibv.WCRemOpErr:         {hca.StatusRemoteOp, "IBV_WC_REM_OP_ERR"},
	ibv.WCRetryExcErr:      {hca.StatusTransport, "IBV_WC_RETRY_EXC_ERR"},
	ibv.WCRNRRetryExcErr:   {hca.StatusReceiverNotReady, "IBV_WC_RNR_RETRY_EXC_ERR"},
	ibv.WCLocRDDViolErr:    {hca.StatusLocalQP, "IBV_WC_LOC_RDD_VIOL_ERR"},
	ibv.WCRemInvRDReqErr:   {hca.StatusRemoteInvalid, "IBV_WC_REM_INV_RD_REQ_ERR"},
	ibv.WCRemAbortErr:      {hca.StatusRemoteOp, "IBV_WC_REM_ABORT_ERR"},
	ibv.WCInvEECNErr:       {hca.StatusLocalQP, "IBV_WC_INV_EECN_ERR"},
	ibv.WCInvEECStateErr:   {hca.StatusLocalQP, "IBV_WC_INV_EEC_STATE_ERR"},
	ibv.WCFatalErr:         {hca.StatusFatal, "IBV_WC_FATAL_ERR"},
	ibv.WCRespTimeoutErr:   {hca.StatusTransport, "IBV_WC_RESP_TIMEOUT_ERR"},
	ibv.WCGeneralErr:       {hca.StatusLocalQP, "IBV_WC_GENERAL_ERR"},
	ibv.WCTMErr:            {hca.StatusLocalQP, "IBV_WC_TM_ERR"},
	ibv.WCTMRndvIncomplete: {hca.StatusLocalQP, "IBV_WC_TM_RNDV_INCOMPLETE"},
}
