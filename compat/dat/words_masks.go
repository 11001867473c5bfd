package dat

var rmrParamMaskWords = words[RMRParamMask]{
	{RMRFieldIAHandle, "DAT_RMR_FIELD_IA_HANDLE"},
	{RMRFieldPZHandle, "DAT_RMR_FIELD_PZ_HANDLE"},
	{RMRFieldLMRTriplet, "DAT_RMR_FIELD_LMR_TRIPLET"},
	{RMRFieldMemPriv, "DAT_RMR_FIELD_MEM_PRIV"},
	{RMRFieldRMRContext, "DAT_RMR_FIELD_RMR_CONTEXT"},
	{RMRFieldAll, "DAT_RMR_FIELD_ALL"},
	{RMRFieldRMRScope, "DAT_RMR_FIELD_RMR_SCOPE"},
	{RMRFieldVAType, "DAT_RMR_FIELD_VA_TYPE"},
}

// String gives the names of the bits as C spells them.
func (v RMRParamMask) String() string { return rmrParamMaskWords.all(v) }

var srqParamMaskWords = words[SRQParamMask]{
	{SRQFieldIAHandle, "DAT_SRQ_FIELD_IA_HANDLE"},
	{SRQFieldSRQState, "DAT_SRQ_FIELD_SRQ_STATE"},
	{SRQFieldPZHandle, "DAT_SRQ_FIELD_PZ_HANDLE"},
	{SRQFieldMaxRecvDTO, "DAT_SRQ_FIELD_MAX_RECV_DTO"},
	{SRQFieldMaxRecvIOV, "DAT_SRQ_FIELD_MAX_RECV_IOV"},
	{SRQFieldLowWatermark, "DAT_SRQ_FIELD_LOW_WATERMARK"},
	{SRQFieldAvailableDTOCount, "DAT_SRQ_FIELD_AVAILABLE_DTO_COUNT"},
	{SRQFieldOutstandingDTOCount, "DAT_SRQ_FIELD_OUTSTANDING_DTO_COUNT"},
	{SRQFieldAll, "DAT_SRQ_FIELD_ALL"},
}

// String gives the names of the bits as C spells them.
func (v SRQParamMask) String() string { return srqParamMaskWords.all(v) }

var pzParamMaskWords = words[PZParamMask]{
	{PZFieldIAHandle, "DAT_PZ_FIELD_IA_HANDLE"},
}

// String gives the names of the bits as C spells them.
func (v PZParamMask) String() string { return pzParamMaskWords.all(v) }

var pspParamMaskWords = words[PSPParamMask]{
	{PSPFieldIAHandle, "DAT_PSP_FIELD_IA_HANDLE"},
	{PSPFieldConnQual, "DAT_PSP_FIELD_CONN_QUAL"},
	{PSPFieldEVDHandle, "DAT_PSP_FIELD_EVD_HANDLE"},
	{PSPFieldPSPFlags, "DAT_PSP_FIELD_PSP_FLAGS"},
	{PSPFieldAll, "DAT_PSP_FIELD_ALL"},
}

// String gives the names of the bits as C spells them.
func (v PSPParamMask) String() string { return pspParamMaskWords.all(v) }

var rspParamMaskWords = words[RSPParamMask]{
	{RSPFieldIAHandle, "DAT_RSP_FIELD_IA_HANDLE"},
	{RSPFieldConnQual, "DAT_RSP_FIELD_CONN_QUAL"},
	{RSPFieldEVDHandle, "DAT_RSP_FIELD_EVD_HANDLE"},
	{RSPFieldEPHandle, "DAT_RSP_FIELD_EP_HANDLE"},
	{RSPFieldAll, "DAT_RSP_FIELD_ALL"},
}

// String gives the names of the bits as C spells them.
func (v RSPParamMask) String() string { return rspParamMaskWords.all(v) }

var crParamMaskWords = words[CRParamMask]{
	{CRFieldRemoteIAAddressPtr, "DAT_CR_FIELD_REMOTE_IA_ADDRESS_PTR"},
	{CRFieldRemotePortQual, "DAT_CR_FIELD_REMOTE_PORT_QUAL"},
	{CRFieldPrivateDataSize, "DAT_CR_FIELD_PRIVATE_DATA_SIZE"},
	{CRFieldPrivateData, "DAT_CR_FIELD_PRIVATE_DATA"},
	{CRFieldLocalEPHandle, "DAT_CR_FIELD_LOCAL_EP_HANDLE"},
	{CRFieldAll, "DAT_CR_FIELD_ALL"},
}

// String gives the names of the bits as C spells them.
func (v CRParamMask) String() string { return crParamMaskWords.all(v) }

var evdParamMaskWords = words[EVDParamMask]{
	{EVDFieldIAHandle, "DAT_EVD_FIELD_IA_HANDLE"},
	{EVDFieldEVDQlen, "DAT_EVD_FIELD_EVD_QLEN"},
	{EVDFieldEVDState, "DAT_EVD_FIELD_EVD_STATE"},
	{EVDFieldCNO, "DAT_EVD_FIELD_CNO"},
	{EVDFieldEVDFlags, "DAT_EVD_FIELD_EVD_FLAGS"},
	{EVDFieldAll, "DAT_EVD_FIELD_ALL"},
}

// String gives the names of the bits as C spells them.
func (v EVDParamMask) String() string { return evdParamMaskWords.all(v) }

var lmrParamMaskWords = words[LMRParamMask]{
	{LMRFieldIAHandle, "DAT_LMR_FIELD_IA_HANDLE"},
	{LMRFieldMemType, "DAT_LMR_FIELD_MEM_TYPE"},
	{LMRFieldRegionDesc, "DAT_LMR_FIELD_REGION_DESC"},
	{LMRFieldLength, "DAT_LMR_FIELD_LENGTH"},
	{LMRFieldPZHandle, "DAT_LMR_FIELD_PZ_HANDLE"},
	{LMRFieldMemPriv, "DAT_LMR_FIELD_MEM_PRIV"},
	{LMRFieldLMRContext, "DAT_LMR_FIELD_LMR_CONTEXT"},
	{LMRFieldRMRContext, "DAT_LMR_FIELD_RMR_CONTEXT"},
	{LMRFieldRegisteredSize, "DAT_LMR_FIELD_REGISTERED_SIZE"},
	{LMRFieldRegisteredAddress, "DAT_LMR_FIELD_REGISTERED_ADDRESS"},
	{LMRFieldAll, "DAT_LMR_FIELD_ALL"},
	{LMRFieldVAType, "DAT_LMR_FIELD_VA_TYPE"},
}

// String gives the names of the bits as C spells them.
func (v LMRParamMask) String() string { return lmrParamMaskWords.all(v) }

var cnoParamMaskWords = words[CNOParamMask]{
	{CNOFieldIAHandle, "DAT_CNO_FIELD_IA_HANDLE"},
	{CNOFieldAgent, "DAT_CNO_FIELD_AGENT"},
	{CNOFieldAll, "DAT_CNO_FIELD_ALL"},
}

// String gives the names of the bits as C spells them.
func (v CNOParamMask) String() string { return cnoParamMaskWords.all(v) }

var cspParamMaskWords = words[CSPParamMask]{
	{CSPFieldIAHandle, "DAT_CSP_FIELD_IA_HANDLE"},
	{CSPFieldComm, "DAT_CSP_FIELD_COMM"},
	{CSPFieldIAAddress, "DAT_CSP_FIELD_IA_ADDRESS"},
	{CSPFieldEVDHandle, "DAT_CSP_FIELD_EVD_HANDLE"},
	{CSPFieldAll, "DAT_CSP_FIELD_ALL"},
}

// String gives the names of the bits as C spells them.
func (v CSPParamMask) String() string { return cspParamMaskWords.all(v) }
