package main

// #include "shim.h"
import "C"

import (
	"math"
	"strconv"

	"github.com/godapl/godapl/compat/dat"
)

// Attributes that programs ask for by name. The stock programs need them before remote
// reads, and for the packet size.
const (
	attrRead = "DAT_IB_RDMA_READ"
	attrMTU  = "DAT_IB_TRANSPORT_MTU"
	mtu      = 2048
)

// describe writes the address and the named attributes of an adapter, once: queries
// give pointers to them.
func (a *adapter) describe(x *C.dg_ia_extra) {
	putAddress(&x.address, a.attr.IAAddressPtr, 0)
	for i, at := range a.named() {
		text(x.words[i][0][:], at.Name)
		text(x.words[i][1][:], at.Value)
		x.attrs[i] = C.dg_named_attr{name: &x.words[i][0][0], value: &x.words[i][1][0]}
	}
}

func (a *adapter) named() []dat.NamedAttr {
	all := append([]dat.NamedAttr{{Name: attrRead, Value: "TRUE"}, {Name: attrMTU, Value: strconv.Itoa(mtu)}},
		a.attr.TransportAttr...)
	return all[:min(len(all), C.DG_MAX_ATTRS)]
}

// word32 converts a length to the 32 bits that 2.0 has.
func word32(n dat.Vlen) C.uint32_t { return C.uint32_t(min(n, math.MaxUint32)) }

func boolean(b dat.Boolean) C.uint32_t {
	if b {
		return 1
	}
	return 0
}

// most is the smaller of n and the limit on handles.
func most(n dat.Count) C.int32_t { return C.int32_t(min(n, maxHandles)) }

const maxHandles = 1 << 19

func (a *adapter) fillAttr(to *C.dg_ia_attr, x *C.dg_ia_extra) {
	f := &a.attr
	n := C.int32_t(len(a.named()))
	*to = C.dg_ia_attr{
		hardware_version_major: C.uint32_t(f.HardwareVersionMajor), hardware_version_minor: C.uint32_t(f.HardwareVersionMinor),
		firmware_version_major: C.uint32_t(f.FirmwareVersionMajor), firmware_version_minor: C.uint32_t(f.FirmwareVersionMinor),
		ia_address_ptr: as[C.struct_sockaddr](&x.address),
		max_eps:        most(f.MaxEPS), max_dto_per_ep: C.int32_t(f.MaxDTOPerEP),
		max_rdma_read_per_ep_in: C.int32_t(f.MaxRDMAReadPerEPIn), max_rdma_read_per_ep_out: C.int32_t(f.MaxRDMAReadPerEPOut),
		max_evds: most(f.MaxEVDS), max_evd_qlen: C.int32_t(f.MaxEVDQlen), max_iov_segments_per_dto: C.int32_t(f.MaxIOVSegmentsPerDTO),
		max_lmrs: most(f.MaxLMRS), max_lmr_block_size: word32(f.MaxLMRBlockSize), max_lmr_virtual_address: C.uint64_t(f.MaxLMRVirtualAddress),
		max_pzs: most(f.MaxPZS), max_message_size: word32(f.MaxMessageSize), max_rdma_size: word32(f.MaxRDMASize),
		max_rmrs: most(f.MaxRMRS), max_rmr_target_address: C.uint64_t(f.MaxRMRTargetAddress),
		max_srqs: most(f.MaxSRQS), max_ep_per_srq: most(f.MaxEPPerSRQ), max_recv_per_srq: C.int32_t(f.MaxRecvPerSRQ),
		max_iov_segments_per_rdma_read:  C.int32_t(f.MaxIOVSegmentsPerRDMARead),
		max_iov_segments_per_rdma_write: C.int32_t(f.MaxIOVSegmentsPerRDMAWrite),
		max_rdma_read_in:                C.int32_t(f.MaxRDMAReadIn), max_rdma_read_out: C.int32_t(f.MaxRDMAReadOut),
		max_rdma_read_per_ep_in_guaranteed:  boolean(f.MaxRDMAReadPerEPInGuaranteed),
		max_rdma_read_per_ep_out_guaranteed: boolean(f.MaxRDMAReadPerEPOutGuaranteed),
		zb_supported:                        boolean(f.ZBSupported), extension_supported: C.uint32_t(f.ExtensionSupported),
		extension_version: C.int32_t(f.ExtensionVersion), num_transport_attr: n, transport_attr: &x.attrs[0],
	}
	to.adapter_name = a.entry.info.ia_name
	text(to.vendor_name[:], f.VendorName)
}

func (a *adapter) fillProvider(to *C.dg_provider_attr, x *C.dg_ia_extra) {
	f := &a.caps
	info := &a.entry.info
	*to = C.dg_provider_attr{
		provider_version_major: C.uint32_t(f.ProviderVersionMajor), provider_version_minor: C.uint32_t(f.ProviderVersionMinor),
		// The registry finds its record by these three members, so they have the
		// record's values, although any thread may call.
		dapl_version_major: info.dapl_version_major, dapl_version_minor: info.dapl_version_minor, is_thread_safe: info.is_thread_safe,
		lmr_mem_types_supported: C.uint32_t(f.LMRMemTypesSupported), iov_ownership_on_return: C.uint32_t(f.IOVOwnershipOnReturn),
		dat_qos_supported: C.uint32_t(f.DatQOSSupported), completion_flags_supported: C.uint32_t(f.CompletionFlagsSupported),
		max_private_data_size: C.int32_t(min(f.MaxPrivateDataSize, C.DG_PRIVATE)), supports_multipath: boolean(f.SupportsMultipath),
		ep_creator: C.uint32_t(f.EPCreator), optimal_buffer_alignment: C.uint32_t(f.OptimalBufferAlignment),
		srq_supported: boolean(f.SRQSupported), srq_watermarks_supported: C.int32_t(f.SRQWatermarksSupported),
		srq_ep_pz_difference_supported: boolean(f.SRQEPPZDifferenceSupported), srq_info_supported: C.int32_t(f.SRQInfoSupported),
		ep_recv_info_supported: C.int32_t(f.EPRecvInfoSupported), lmr_sync_req: boolean(f.LMRSyncReq),
		dto_async_return_guaranteed: boolean(f.DTOAsyncReturnGuaranteed), rdma_write_for_rdma_read_req: boolean(f.RDMAWriteForRDMAReadReq),
		rdma_read_lmr_rmr_context_exposure: boolean(f.RDMAReadLMRRMRContextExposure), rmr_scope_supported: C.uint32_t(f.RMRScopeSupported),
		num_provider_specific_attr: C.int32_t(len(a.named())), provider_specific_attr: &x.attrs[0],
	}
	if f.PZSupport == dat.PZShareable {
		to.pz_support = 1
	}
	text(to.provider_name[:], f.ProviderName)
	for i := range f.EVDStreamMergingSupported {
		for j, ok := range f.EVDStreamMergingSupported[i] {
			to.evd_stream_merging_supported[i][j] = boolean(ok)
		}
	}
}
