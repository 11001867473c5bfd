package dat

// RMRParamMask: Members of [RMRParam] (DAT_RMR_PARAM_MASK).
type RMRParamMask uint32

// The values of [RMRParamMask].
const (
	RMRFieldIAHandle   RMRParamMask = 0x1
	RMRFieldPZHandle   RMRParamMask = 0x2
	RMRFieldLMRTriplet RMRParamMask = 0x4
	RMRFieldMemPriv    RMRParamMask = 0x8
	RMRFieldRMRContext RMRParamMask = 0x10
	RMRFieldAll        RMRParamMask = 0x1f // 2.0: 0x7f
	RMRFieldRMRScope   RMRParamMask = 0x20 // 2.0
	RMRFieldVAType     RMRParamMask = 0x40 // 2.0
)

// SRQParamMask: Members of [SRQParam] (DAT_SRQ_PARAM_MASK).
type SRQParamMask uint32

// The values of [SRQParamMask].
const (
	SRQFieldIAHandle            SRQParamMask = 0x1
	SRQFieldSRQState            SRQParamMask = 0x2
	SRQFieldPZHandle            SRQParamMask = 0x4
	SRQFieldMaxRecvDTO          SRQParamMask = 0x8
	SRQFieldMaxRecvIOV          SRQParamMask = 0x10
	SRQFieldLowWatermark        SRQParamMask = 0x20
	SRQFieldAvailableDTOCount   SRQParamMask = 0x40
	SRQFieldOutstandingDTOCount SRQParamMask = 0x80
	SRQFieldAll                 SRQParamMask = 0xff
)

// PZParamMask: Members of [PZParam] (DAT_PZ_PARAM_MASK).
type PZParamMask uint32

// The values of [PZParamMask].
const (
	PZFieldIAHandle PZParamMask = 0x1
	PZFieldAll      PZParamMask = 0x1
)

// PSPParamMask: Members of [PSPParam] (DAT_PSP_PARAM_MASK).
type PSPParamMask uint32

// The values of [PSPParamMask].
const (
	PSPFieldIAHandle  PSPParamMask = 0x1
	PSPFieldConnQual  PSPParamMask = 0x2
	PSPFieldEVDHandle PSPParamMask = 0x4
	PSPFieldPSPFlags  PSPParamMask = 0x8
	PSPFieldAll       PSPParamMask = 0xf
)

// RSPParamMask: Members of [RSPParam] (DAT_RSP_PARAM_MASK).
type RSPParamMask uint32

// The values of [RSPParamMask].
const (
	RSPFieldIAHandle  RSPParamMask = 0x1
	RSPFieldConnQual  RSPParamMask = 0x2
	RSPFieldEVDHandle RSPParamMask = 0x4
	RSPFieldEPHandle  RSPParamMask = 0x8
	RSPFieldAll       RSPParamMask = 0xf
)

// CRParamMask: Members of [CRParam] (DAT_CR_PARAM_MASK).
type CRParamMask uint32

// The values of [CRParamMask].
const (
	CRFieldRemoteIAAddressPtr CRParamMask = 0x1
	CRFieldRemotePortQual     CRParamMask = 0x2
	CRFieldPrivateDataSize    CRParamMask = 0x4
	CRFieldPrivateData        CRParamMask = 0x8
	CRFieldLocalEPHandle      CRParamMask = 0x10
	CRFieldAll                CRParamMask = 0x1f
)

// EVDParamMask: Members of [EVDParam] (DAT_EVD_PARAM_MASK).
type EVDParamMask uint32

// The values of [EVDParamMask].
const (
	EVDFieldIAHandle EVDParamMask = 0x1
	EVDFieldEVDQlen  EVDParamMask = 0x2
	EVDFieldEVDState EVDParamMask = 0x4
	EVDFieldCNO      EVDParamMask = 0x8
	EVDFieldEVDFlags EVDParamMask = 0x10
	EVDFieldAll      EVDParamMask = 0x1f
)

// LMRParamMask: Members of [LMRParam] (DAT_LMR_PARAM_MASK).
type LMRParamMask uint32

// The values of [LMRParamMask].
const (
	LMRFieldIAHandle          LMRParamMask = 0x1
	LMRFieldMemType           LMRParamMask = 0x2
	LMRFieldRegionDesc        LMRParamMask = 0x4
	LMRFieldLength            LMRParamMask = 0x8
	LMRFieldPZHandle          LMRParamMask = 0x10
	LMRFieldMemPriv           LMRParamMask = 0x20
	LMRFieldLMRContext        LMRParamMask = 0x40  // 2.0: 0x80
	LMRFieldRMRContext        LMRParamMask = 0x80  // 2.0: 0x100
	LMRFieldRegisteredSize    LMRParamMask = 0x100 // 2.0: 0x200
	LMRFieldRegisteredAddress LMRParamMask = 0x200 // 2.0: 0x400
	LMRFieldAll               LMRParamMask = 0x3ff // 2.0: 0x7ff
	LMRFieldVAType            LMRParamMask = 0x400 // 2.0, where it is 0x40
)

// CNOParamMask: Members of [CNOParam] (DAT_CNO_PARAM_MASK). 2.0 numbers
// PROXY 3 and ALL 4, which are no bits; queries here take 1, 2, 3, 4 and 7
// and fill everything.
type CNOParamMask uint32

// The values of [CNOParamMask].
const (
	CNOFieldIAHandle  CNOParamMask = 0x1
	CNOFieldAll       CNOParamMask = 0x3 // 2.0: 4
	CNOFieldAgent     CNOParamMask = 0x2 // 1.2 only
	CNOFieldProxyType CNOParamMask = 0x2 // 2.0
	CNOFieldProxy     CNOParamMask = 0x3 // 2.0
)

// CSPParamMask: Members of [CSPParam] (DAT_CSP_PARAM_MASK).
type CSPParamMask uint32

// The values of [CSPParamMask].
const (
	CSPFieldIAHandle  CSPParamMask = 0x1 // 2.0
	CSPFieldComm      CSPParamMask = 0x2 // 2.0
	CSPFieldIAAddress CSPParamMask = 0x4 // 2.0
	CSPFieldEVDHandle CSPParamMask = 0x8 // 2.0
	CSPFieldAll       CSPParamMask = 0xf // 2.0
)
