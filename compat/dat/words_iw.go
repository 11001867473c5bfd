package dat

var iwsspStateWords = words[IWSSPState]{
	{IWSSPStateOperational, "DAT_IW_SSP_STATE_OPERATIONAL"},
	{IWSSPStateNonOperational, "DAT_IW_SSP_STATE_NON_OPERATIONAL"},
}

// String gives the name of the value as C spells it.
func (v IWSSPState) String() string { return iwsspStateWords.one(v) }

var iwsspParamMaskWords = words[IWSSPParamMask]{
	{IWSSPFieldIAHandle, "DAT_IW_SSP_FIELD_IA_HANDLE"},
	{IWSSPFieldSocketID, "DAT_IW_SSP_FIELD_SOCKET_ID"},
	{IWSSPFieldEVDHandle, "DAT_IW_SSP_FIELD_EVD_HANDLE"},
	{IWSSPFieldEPHandle, "DAT_IW_SSP_FIELD_EP_HANDLE"},
	{IWSSPFieldSSPState, "DAT_IW_SSP_FIELD_SSP_STATE"},
	{IWSSPFieldAll, "DAT_IW_SSP_FIELD_ALL"},
}

// String gives the names of the bits as C spells them.
func (v IWSSPParamMask) String() string { return iwsspParamMaskWords.all(v) }
