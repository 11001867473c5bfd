package dat

// EPParamMask: Members of [EPParam], for dat_ep_query and dat_ep_modify
// (DAT_EP_PARAM_MASK).
type EPParamMask uint64

// The values of [EPParamMask].
const (
	EPFieldIAHandle                     EPParamMask = 0x1
	EPFieldEPState                      EPParamMask = 0x2
	EPFieldLocalIAAddressPtr            EPParamMask = 0x4   // 2.0: 8
	EPFieldLocalPortQual                EPParamMask = 0x8   // 2.0: 16
	EPFieldRemoteIAAddressPtr           EPParamMask = 0x10  // 2.0: 0x20
	EPFieldRemotePortQual               EPParamMask = 0x20  // 2.0: 0x40
	EPFieldPZHandle                     EPParamMask = 0x40  // 2.0: 0x80
	EPFieldRecvEVDHandle                EPParamMask = 0x80  // 2.0: 0x100
	EPFieldRequestEVDHandle             EPParamMask = 0x100 // 2.0: 0x200
	EPFieldConnectEVDHandle             EPParamMask = 0x200 // 2.0: 0x400
	EPFieldSRQHandle                    EPParamMask = 0x400 // 2.0: 0x800
	EPFieldEPAttrServiceType            EPParamMask = 0x1000
	EPFieldEPAttrMaxMessageSize         EPParamMask = 0x2000
	EPFieldEPAttrMaxRDMASize            EPParamMask = 0x4000
	EPFieldEPAttrQOS                    EPParamMask = 0x8000
	EPFieldEPAttrRecvCompletionFlags    EPParamMask = 0x10000
	EPFieldEPAttrRequestCompletionFlags EPParamMask = 0x20000
	EPFieldEPAttrMaxRecvDTOS            EPParamMask = 0x40000
	EPFieldEPAttrMaxRequestDTOS         EPParamMask = 0x80000
	EPFieldEPAttrMaxRecvIOV             EPParamMask = 0x100000
	EPFieldEPAttrMaxRequestIOV          EPParamMask = 0x200000
	EPFieldEPAttrMaxRDMAReadIn          EPParamMask = 0x400000
	EPFieldEPAttrMaxRDMAReadOut         EPParamMask = 0x800000
	EPFieldEPAttrSRQSoftHW              EPParamMask = 0x1000000
	EPFieldEPAttrMaxRDMAReadIOV         EPParamMask = 0x2000000
	EPFieldEPAttrMaxRDMAWriteIOV        EPParamMask = 0x4000000
	EPFieldEPAttrNumTransportAttr       EPParamMask = 0x8000000
	EPFieldEPAttrTransportSpecificAttr  EPParamMask = 0x10000000
	EPFieldEPAttrNumProviderAttr        EPParamMask = 0x20000000
	EPFieldEPAttrProviderSpecificAttr   EPParamMask = 0x40000000
	EPFieldEPAttrAll                    EPParamMask = 0x7ffff000
	EPFieldAll                          EPParamMask = 0x7ffff7ff // 2.0: 0x7fffffff
	EPFieldComm                         EPParamMask = 0x800      // 2.0, where it is 0x4
)
