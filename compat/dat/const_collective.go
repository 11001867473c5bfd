package dat

// IBCollectiveDataType: Elements of collective operations
// (DAT_IB_COLLECTIVE_DATA_TYPE).
type IBCollectiveDataType uint32

// The values of [IBCollectiveDataType].
const (
	IBCollectiveTypeInt8       IBCollectiveDataType = 0  // 2.0
	IBCollectiveTypeUint8      IBCollectiveDataType = 1  // 2.0
	IBCollectiveTypeInt16      IBCollectiveDataType = 2  // 2.0
	IBCollectiveTypeUint16     IBCollectiveDataType = 3  // 2.0
	IBCollectiveTypeInt32      IBCollectiveDataType = 4  // 2.0
	IBCollectiveTypeUint32     IBCollectiveDataType = 5  // 2.0
	IBCollectiveTypeInt64      IBCollectiveDataType = 6  // 2.0
	IBCollectiveTypeUint64     IBCollectiveDataType = 7  // 2.0
	IBCollectiveTypeFloat      IBCollectiveDataType = 8  // 2.0
	IBCollectiveTypeDouble     IBCollectiveDataType = 9  // 2.0
	IBCollectiveTypeLongDouble IBCollectiveDataType = 10 // 2.0
	IBCollectiveTypeShortInt   IBCollectiveDataType = 11 // 2.0
	IBCollectiveType2int       IBCollectiveDataType = 12 // 2.0
	IBCollectiveTypeFloatInt   IBCollectiveDataType = 13 // 2.0
	IBCollectiveTypeLongInt    IBCollectiveDataType = 14 // 2.0
	IBCollectiveTypeDoubleInt  IBCollectiveDataType = 15 // 2.0
)

// IBCollectiveReduceDataOp: Reductions of collective operations
// (DAT_IB_COLLECTIVE_REDUCE_DATA_OP).
type IBCollectiveReduceDataOp uint32

// The values of [IBCollectiveReduceDataOp].
const (
	IBCollectiveReduceOpMax    IBCollectiveReduceDataOp = 0  // 2.0
	IBCollectiveReduceOpMin    IBCollectiveReduceDataOp = 1  // 2.0
	IBCollectiveReduceOpSum    IBCollectiveReduceDataOp = 2  // 2.0
	IBCollectiveReduceOpProd   IBCollectiveReduceDataOp = 3  // 2.0
	IBCollectiveReduceOpLand   IBCollectiveReduceDataOp = 4  // 2.0
	IBCollectiveReduceOpBand   IBCollectiveReduceDataOp = 5  // 2.0
	IBCollectiveReduceOpLor    IBCollectiveReduceDataOp = 6  // 2.0
	IBCollectiveReduceOpBor    IBCollectiveReduceDataOp = 7  // 2.0
	IBCollectiveReduceOpLxor   IBCollectiveReduceDataOp = 8  // 2.0
	IBCollectiveReduceOpBxor   IBCollectiveReduceDataOp = 9  // 2.0
	IBCollectiveReduceOpMaxloc IBCollectiveReduceDataOp = 10 // 2.0
	IBCollectiveReduceOpMinloc IBCollectiveReduceDataOp = 11 // 2.0
)
