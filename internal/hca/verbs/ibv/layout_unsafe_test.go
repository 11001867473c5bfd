//go:build amd64 || arm64

package ibv

import "unsafe"

// The layouts are the same on both architectures that have RDMA devices here:
// C pads the structures in the same way, and those that differ (behind the
// mutexes in ibv_cq, ibv_qp, ibv_srq and ibv_context) are read only before the
// difference. The headers are asked on the architecture at hand; a wrong size or
// offset on the other does not compile.
const (
	_ = -(unsafe.Sizeof(SGE{}) ^ 16)
	_ = -(unsafe.Sizeof(SendWR{}) ^ 128)
	_ = -(unsafe.Offsetof(SendWR{}.remoteAddr) ^ 40)
	_ = -(unsafe.Offsetof(SendWR{}.atomicRKey) ^ 64)
	_ = -(unsafe.Offsetof(SendWR{}.bindMW) ^ 80)
	_ = -(unsafe.Sizeof(RecvWR{}) ^ 32)
	_ = -(unsafe.Sizeof(WC{}) ^ 48)
	_ = -(unsafe.Sizeof(MWBindInfo{}) ^ 32)
	_ = -(unsafe.Sizeof(MWBind{}) ^ 48)
	_ = -(unsafe.Sizeof(SRQAttr{}) ^ 12)
	_ = -(unsafe.Sizeof(SRQInitAttr{}) ^ 24)
	_ = -(unsafe.Sizeof(QPCap{}) ^ 20)
	_ = -(unsafe.Sizeof(QPInitAttr{}) ^ 64)
	_ = -(unsafe.Sizeof(GlobalRoute{}) ^ 24)
	_ = -(unsafe.Sizeof(AHAttr{}) ^ 32)
	_ = -(unsafe.Sizeof(QPAttr{}) ^ 144)
	_ = -(unsafe.Offsetof(QPAttr{}.RateLimit) ^ 136)
	_ = -(unsafe.Sizeof(DeviceAttr{}) ^ 232)
	_ = -(unsafe.Sizeof(PortAttr{}) ^ 52)
	_ = -(unsafe.Sizeof(AsyncEvent{}) ^ 16)
	_ = -(unsafe.Sizeof(deviceLayout{}) ^ 664)
	_ = -(unsafe.Sizeof(contextOps{}) ^ 256)
	_ = -(unsafe.Offsetof(contextOps{}.postRecv) ^ 208)
	_ = -(unsafe.Offsetof(contextLayout{}.numCompVectors) ^ 272)
	_ = -(unsafe.Sizeof(pdLayout{}) ^ 16)
	_ = -(unsafe.Sizeof(mrLayout{}) ^ 48)
	_ = -(unsafe.Sizeof(mwLayout{}) ^ 32)
	_ = -(unsafe.Sizeof(compChannelLayout{}) ^ 16)
	_ = -(unsafe.Offsetof(cqLayout{}.cqe) ^ 28)
	_ = -(unsafe.Offsetof(srqLayout{}.handle) ^ 24)
	_ = -(unsafe.Offsetof(qpLayout{}.kind) ^ 60)
	_ = -(unsafe.Sizeof(connParamLayout{}) ^ 24)
	_ = -(unsafe.Sizeof(udParamLayout{}) ^ 56)
	_ = -(unsafe.Sizeof(cmEventLayout{}) ^ 80)
	_ = -(unsafe.Sizeof(idLayout{}) ^ 416)
	_ = -(unsafe.Sizeof(sockaddr{}) ^ 128)
)
