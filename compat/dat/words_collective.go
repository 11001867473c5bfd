package dat

var ibCollectiveDataTypeWords = words[IBCollectiveDataType]{
	{IBCollectiveTypeInt8, "DAT_IB_COLLECTIVE_TYPE_INT8"},
	{IBCollectiveTypeUint8, "DAT_IB_COLLECTIVE_TYPE_UINT8"},
	{IBCollectiveTypeInt16, "DAT_IB_COLLECTIVE_TYPE_INT16"},
	{IBCollectiveTypeUint16, "DAT_IB_COLLECTIVE_TYPE_UINT16"},
	{IBCollectiveTypeInt32, "DAT_IB_COLLECTIVE_TYPE_INT32"},
	{IBCollectiveTypeUint32, "DAT_IB_COLLECTIVE_TYPE_UINT32"},
	{IBCollectiveTypeInt64, "DAT_IB_COLLECTIVE_TYPE_INT64"},
	{IBCollectiveTypeUint64, "DAT_IB_COLLECTIVE_TYPE_UINT64"},
	{IBCollectiveTypeFloat, "DAT_IB_COLLECTIVE_TYPE_FLOAT"},
	{IBCollectiveTypeDouble, "DAT_IB_COLLECTIVE_TYPE_DOUBLE"},
	{IBCollectiveTypeLongDouble, "DAT_IB_COLLECTIVE_TYPE_LONG_DOUBLE"},
	{IBCollectiveTypeShortInt, "DAT_IB_COLLECTIVE_TYPE_SHORT_INT"},
	{IBCollectiveType2int, "DAT_IB_COLLECTIVE_TYPE_2INT"},
	{IBCollectiveTypeFloatInt, "DAT_IB_COLLECTIVE_TYPE_FLOAT_INT"},
	{IBCollectiveTypeLongInt, "DAT_IB_COLLECTIVE_TYPE_LONG_INT"},
	{IBCollectiveTypeDoubleInt, "DAT_IB_COLLECTIVE_TYPE_DOUBLE_INT"},
}

// String gives the name of the value as C spells it.
func (v IBCollectiveDataType) String() string { return ibCollectiveDataTypeWords.one(v) }

var ibCollectiveReduceDataOpWords = words[IBCollectiveReduceDataOp]{
	{IBCollectiveReduceOpMax, "DAT_IB_COLLECTIVE_REDUCE_OP_MAX"},
	{IBCollectiveReduceOpMin, "DAT_IB_COLLECTIVE_REDUCE_OP_MIN"},
	{IBCollectiveReduceOpSum, "DAT_IB_COLLECTIVE_REDUCE_OP_SUM"},
	{IBCollectiveReduceOpProd, "DAT_IB_COLLECTIVE_REDUCE_OP_PROD"},
	{IBCollectiveReduceOpLand, "DAT_IB_COLLECTIVE_REDUCE_OP_LAND"},
	{IBCollectiveReduceOpBand, "DAT_IB_COLLECTIVE_REDUCE_OP_BAND"},
	{IBCollectiveReduceOpLor, "DAT_IB_COLLECTIVE_REDUCE_OP_LOR"},
	{IBCollectiveReduceOpBor, "DAT_IB_COLLECTIVE_REDUCE_OP_BOR"},
	{IBCollectiveReduceOpLxor, "DAT_IB_COLLECTIVE_REDUCE_OP_LXOR"},
	{IBCollectiveReduceOpBxor, "DAT_IB_COLLECTIVE_REDUCE_OP_BXOR"},
	{IBCollectiveReduceOpMaxloc, "DAT_IB_COLLECTIVE_REDUCE_OP_MAXLOC"},
	{IBCollectiveReduceOpMinloc, "DAT_IB_COLLECTIVE_REDUCE_OP_MINLOC"},
}

// String gives the name of the value as C spells it.
func (v IBCollectiveReduceDataOp) String() string { return ibCollectiveReduceDataOpWords.one(v) }
