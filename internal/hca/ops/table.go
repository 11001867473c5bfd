package ops

import "github.com/godapl/godapl/internal/hca"

// A Row describes one operation. Its native name is hca.Op's String.
type Row struct {
	Verbs string // of requests enum ibv_wr_opcode, of receives enum ibv_wc_opcode
	DAT   string // DAT_DTOS and DAT_IB_DTOS, as completions tell them

	// Needs are capabilities without which an adapter does not have the operation.
	Needs hca.Caps
	// Local is what the keys of the local segments must allow; 0: the operation has no local memory.
	Local hca.Access
	// Remote is what the peer's key must allow; 0: the operation names no memory of the peer.
	Remote hca.Access
	// Size is how many bytes the local segments must have; 0: any number.
	Size uint64
	// Response: the operation completes with the peer's response. It needs agreed reads (QPConfig.ReadsOut),
	// and a fence waits for it. Others complete when the transport has their bytes.
	Response bool
	// Delivers is the completion of the receive that the operation consumes at the peer; OpNone: none.
	Delivers hca.Op
	// Imm and Key: the request, or the completion of the receive, carries immediate data or a key that is
	// revoked.
	Imm, Key bool
}

var rows = [...]Row{
	hca.OpSend: {
		Verbs: "IBV_WR_SEND", DAT: "DAT_DTO_SEND",
		Local: hca.LocalRead, Delivers: hca.OpRecv,
	},
	hca.OpSendInvalidate: {
		Verbs: "IBV_WR_SEND_WITH_INV", DAT: "DAT_DTO_SEND",
		Needs: hca.CapSendInvalidate, Local: hca.LocalRead, Delivers: hca.OpRecvInvalidate, Key: true,
	},
	hca.OpSendImm: {
		Verbs: "IBV_WR_SEND_WITH_IMM", DAT: "DAT_DTO_SEND",
		Needs: hca.CapSendImm, Local: hca.LocalRead, Delivers: hca.OpRecvImm, Imm: true,
	},
	hca.OpWrite: {
		Verbs: "IBV_WR_RDMA_WRITE", DAT: "DAT_DTO_RDMA_WRITE",
		Local: hca.LocalRead, Remote: hca.RemoteWrite,
	},
	hca.OpWriteImm: {
		Verbs: "IBV_WR_RDMA_WRITE_WITH_IMM", DAT: "DAT_IB_DTO_RDMA_WRITE_IMMED",
		Needs: hca.CapWriteImm, Local: hca.LocalRead, Remote: hca.RemoteWrite, Delivers: hca.OpRecvWriteImm, Imm: true,
	},
	hca.OpRead: {
		Verbs: "IBV_WR_RDMA_READ", DAT: "DAT_DTO_RDMA_READ",
		Local: hca.LocalWrite, Remote: hca.RemoteRead, Response: true,
	},
	hca.OpFetchAdd: {
		Verbs: "IBV_WR_ATOMIC_FETCH_AND_ADD", DAT: "DAT_IB_DTO_FETCH_ADD",
		Needs: hca.CapAtomics, Local: hca.LocalWrite, Remote: hca.RemoteAtomic, Size: 8, Response: true,
	},
	hca.OpCompareSwap: {
		Verbs: "IBV_WR_ATOMIC_CMP_AND_SWP", DAT: "DAT_IB_DTO_CMP_SWAP",
		Needs: hca.CapAtomics, Local: hca.LocalWrite, Remote: hca.RemoteAtomic, Size: 8, Response: true,
	},
	hca.OpBind: {Verbs: "IBV_WR_BIND_MW", DAT: "DAT_DTO_BIND_MW"},

	hca.OpRecv:           {Verbs: "IBV_WC_RECV", DAT: "DAT_DTO_RECEIVE", Local: hca.LocalWrite},
	hca.OpRecvInvalidate: {Verbs: "IBV_WC_RECV", DAT: "DAT_DTO_RECEIVE_WITH_INVALIDATE", Local: hca.LocalWrite, Key: true},
	hca.OpRecvImm:        {Verbs: "IBV_WC_RECV", DAT: "DAT_IB_DTO_RECV_MSG_IMMED", Local: hca.LocalWrite, Imm: true},
	hca.OpRecvWriteImm:   {Verbs: "IBV_WC_RECV_RDMA_WITH_IMM", DAT: "DAT_IB_DTO_RECV_IMMED", Imm: true},
}

// Of returns the row of an operation. What is no operation has an empty row.
func Of(op hca.Op) *Row {
	if int(op) >= len(rows) {
		op = hca.OpNone
	}
	return &rows[op]
}

// Posted reports whether an operation is a request: it can be posted to the send side.
func Posted(op hca.Op) bool { return op != hca.OpNone && op < hca.OpRecv }

// responses has a bit for each operation with a response: HasResponse is called for each completion.
var responses = func() (set uint32) {
	for op := range rows {
		if rows[op].Response {
			set |= 1 << op
		}
	}
	return set
}()

// HasResponse is Of(op).Response without a look into the table.
func HasResponse(op hca.Op) bool { return responses>>(op&31)&1 != 0 }
