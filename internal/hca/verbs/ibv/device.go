package ibv

import (
	"structs"
)

// NodeType is enum ibv_node_type.
type NodeType int32

// Node types.
const (
	NodeUnknown NodeType = -1
	NodeCA      NodeType = iota
	NodeSwitch
	NodeRouter
	NodeRNIC
	NodeUSNIC
	NodeUSNICUDP
	NodeUnspecified
)

// TransportType is enum ibv_transport_type.
type TransportType int32

// Transports.
const (
	TransportUnknown TransportType = iota - 1
	TransportIB
	TransportIWARP
	TransportUSNIC
	TransportUSNICUDP
	TransportUnspecified
)

// DeviceCap is enum ibv_device_cap_flags.
type DeviceCap uint32

// Capabilities of devices.
const (
	DeviceResizeMaxWR      DeviceCap = 1 << 0
	DeviceCurrQPStateMod   DeviceCap = 1 << 7
	DeviceShutdownPort     DeviceCap = 1 << 8
	DevicePortActiveEvent  DeviceCap = 1 << 10
	DeviceSysImageGUID     DeviceCap = 1 << 11
	DeviceRCRNRNakGen      DeviceCap = 1 << 12
	DeviceSRQResize        DeviceCap = 1 << 13
	DeviceNNotifyCQ        DeviceCap = 1 << 14
	DeviceMemWindow        DeviceCap = 1 << 17
	DeviceXRC              DeviceCap = 1 << 20
	DeviceMemMgtExtensions DeviceCap = 1 << 21
	DeviceMemWindowType2A  DeviceCap = 1 << 23
	DeviceMemWindowType2B  DeviceCap = 1 << 24
)

// AtomicCap is enum ibv_atomic_cap: the scope within which atomic operations are
// atomic.
type AtomicCap uint32

// Atomicity: not supported, among operations of this adapter, or with the CPU
// and other adapters too.
const (
	AtomicNone AtomicCap = iota
	AtomicHCA
	AtomicGlob
)

// DeviceAttr is struct ibv_device_attr. GUIDs are in network byte order.
type DeviceAttr struct {
	_                     structs.HostLayout
	FWVer                 [64]byte
	NodeGUID              [8]byte
	SysImageGUID          [8]byte
	MaxMRSize             uint64
	PageSizeCap           uint64
	VendorID              uint32
	VendorPartID          uint32
	HWVer                 uint32
	MaxQP                 int32
	MaxQPWR               int32
	Caps                  DeviceCap
	MaxSGE                int32
	MaxSGERD              int32
	MaxCQ                 int32
	MaxCQE                int32
	MaxMR                 int32
	MaxPD                 int32
	MaxQPRDAtom           int32
	MaxEERDAtom           int32
	MaxResRDAtom          int32
	MaxQPInitRDAtom       int32
	MaxEEInitRDAtom       int32
	AtomicCap             AtomicCap
	MaxEE                 int32
	MaxRDD                int32
	MaxMW                 int32
	MaxRawIPv6QP          int32
	MaxRawEthyQP          int32
	MaxMcastGrp           int32
	MaxMcastQPAttach      int32
	MaxTotalMcastQPAttach int32
	MaxAH                 int32
	MaxFMR                int32
	MaxMapPerFMR          int32
	MaxSRQ                int32
	MaxSRQWR              int32
	MaxSRQSGE             int32
	MaxPKeys              uint16
	LocalCAAckDelay       uint8
	PhysPortCnt           uint8
}

// Firmware gives the firmware version as text.
func (a *DeviceAttr) Firmware() string { return cString(a.FWVer[:]) }

type deviceLayout struct {
	_             structs.HostLayout
	dummy         [2]uintptr
	nodeType      NodeType
	transportType TransportType
	name          [64]byte
	devName       [64]byte
	devPath       [256]byte
	ibdevPath     [256]byte
}

// Name gives the kernel's name of the device, such as "mlx5_0".
func (d Device) Name() string { return cString(at[deviceLayout](d).name[:]) }

// DevName gives the name of its device file, such as "uverbs0".
func (d Device) DevName() string { return cString(at[deviceLayout](d).devName[:]) }

// NodeType gives what kind of adapter it is.
func (d Device) NodeType() NodeType { return at[deviceLayout](d).nodeType }

// TransportType gives InfiniBand (RoCE too) or iWARP.
func (d Device) TransportType() TransportType { return at[deviceLayout](d).transportType }
