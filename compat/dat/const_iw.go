package dat

// Kind of a socket service point.
const (
	IWHandleTypeSSP HandleType = 12 // 2.0
)

// IWSSPState: States of a socket service point (DAT_IW_SSP_STATE).
type IWSSPState uint32

// The values of [IWSSPState].
const (
	IWSSPStateOperational    IWSSPState = 0 // 2.0
	IWSSPStateNonOperational IWSSPState = 1 // 2.0
)

// IWSSPParamMask: Members of [IWSSPParam] (DAT_IW_SSP_PARAM_MASK).
type IWSSPParamMask uint32

// The values of [IWSSPParamMask].
const (
	IWSSPFieldIAHandle  IWSSPParamMask = 0x1  // 2.0
	IWSSPFieldSocketID  IWSSPParamMask = 0x2  // 2.0
	IWSSPFieldEVDHandle IWSSPParamMask = 0x4  // 2.0
	IWSSPFieldEPHandle  IWSSPParamMask = 0x8  // 2.0
	IWSSPFieldSSPState  IWSSPParamMask = 0x10 // 2.0
	IWSSPFieldAll       IWSSPParamMask = 0x1f // 2.0
)

// Operations of dat_extension_op in the iWARP extension. Here each has a
// function of its own.
const (
	IWSSPCreateOp     ExtendedOp = 0 // 2.0
	IWSSPFreeOp       ExtendedOp = 1 // 2.0
	IWSSPQueryOp      ExtendedOp = 2 // 2.0
	IWSocketConnectOp ExtendedOp = 3 // 2.0
)
