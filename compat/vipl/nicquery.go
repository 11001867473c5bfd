package vipl

import (
	"bytes"
	"math"
)

const (
	// maxDescriptors is the descriptors that a queue of a VI holds.
	maxDescriptors = 1024
	// maxTransfer is the longest message, in bytes.
	maxTransfer = 1 << 30
)

// QueryNic returns the properties of a NIC (VipQueryNic). VIPL has no attribute that tells
// whether memory is registered by the page or by the byte. Here it is by the byte, and
// MaxRegisterBytes and MaxRegisterBlockBytes, which are no multiples of a page, are the sign of it.
func QueryNic(nicHandle NICHandle, attributes *NICAttributes) Return {
	n := getNIC(nicHandle)
	if n == nil || attributes == nil {
		return InvalidParameter
	}
	*attributes = NICAttributes{
		Name:                    n.name,
		HardwareVersion:         1,
		ProviderVersion:         1,
		NicAddressLen:           uint16(len(n.host)),
		LocalNicAddress:         bytes.Clone(n.host),
		ThreadSafe:              true,
		MaxDiscriminatorLen:     MaxDiscriminatorLen,
		MaxRegisterBytes:        bytesLimit(n.attr.MaxRegion),
		MaxRegisterRegions:      limit32(n.attr.MaxRegions),
		MaxRegisterBlockBytes:   bytesLimit(n.attr.MaxRegion),
		MaxVI:                   limit32(n.attr.MaxEndpoints),
		MaxDescriptorsPerQueue:  n.depth,
		MaxSegmentsPerDesc:      n.segments,
		MaxCQ:                   limit32(n.attr.MaxCompletionQueues),
		MaxCQEntries:            limit32(n.attr.MaxCompletionDepth),
		MaxTransferSize:         n.transfer(),
		NativeMTU:               n.transfer(),
		MaxPtags:                limit32(n.attr.MaxZones),
		ReliabilityLevelSupport: n.offered(),
		RDMAReadSupport:         n.reads(),
	}
	return Success
}

// offered is the reliability levels. An unreliable VI would drop a message that finds no
// receive, which no adapter does. Linux's software device for iWARP, siw, cannot confirm
// reception: it has no read of no bytes.
func (n *nic) offered() ReliabilityLevel {
	if n.attr.Vendor == "Linux RDMA" && !n.attr.Caps.WriteImmediate {
		return ServiceReliableDelivery
	}
	return ServiceReliableDelivery | ServiceReliableReception
}

// reads is the levels at which RDMA reads work.
func (n *nic) reads() ReliabilityLevel {
	if n.attr.MaxReadsIn <= 0 || n.attr.MaxReadsOut <= 0 {
		return 0
	}
	return n.offered()
}

// limits are how many descriptors a queue of a VI holds, and how many segments a descriptor. A
// descriptor may take two native requests: see vi.confirms.
func (n *nic) limits() (depth, segments uint32) {
	depth = uint32(min(maxDescriptors, unlimited(n.attr.MaxSendDepth)/2, unlimited(n.attr.MaxRecvDepth)))
	return depth, uint32(min(252, unlimited(n.attr.MaxSegments)))
}

func (n *nic) transfer() uint32 {
	most := uint64(maxTransfer)
	for _, m := range [...]uint64{n.attr.MaxMessage, n.attr.MaxTransfer} {
		if m > 0 {
			most = min(most, m)
		}
	}
	return uint32(most)
}

// unlimited is a limit of the native API, where 0 means none.
func unlimited(limit int) int {
	if limit <= 0 {
		return math.MaxInt32
	}
	return limit
}

func limit32(limit int) uint32 { return uint32(unlimited(limit)) }

// bytesLimit is a limit of registered bytes, one less than the adapter's if that is a number of pages.
func bytesLimit(limit uint64) uint64 {
	switch {
	case limit == 0:
		return math.MaxInt64
	case limit%uint64(pageSize) == 0:
		return limit - 1
	}
	return limit
}

// QuerySystemManagementInfo returns the addresses of NICs that are known
// (VipQuerySystemManagementInfo): this one, and those in the file of the name service.
// infoType is [SmiAutodiscovery]; others are ErrorNotSupported.
func QuerySystemManagementInfo(nicHandle NICHandle, infoType uint32, sysManInfo *AutodiscoveryList) Return {
	n := getNIC(nicHandle)
	switch {
	case n == nil || sysManInfo == nil:
		return InvalidParameter
	case infoType != SmiAutodiscovery:
		return ErrorNotSupported
	}
	list := []NetAddress{{HostAddressLen: uint16(len(n.host)), HostAddress: bytes.Clone(n.host)}}
	list = append(list, n.known()...)
	*sysManInfo = AutodiscoveryList{ADAddrArray: list, NumAdAddrs: uint32(len(list))}
	return Success
}
