package dat

var evdStateWords = words[EVDState]{
	{EVDStateEnabled, "DAT_EVD_STATE_ENABLED"},
	{EVDStateDisabled, "DAT_EVD_STATE_DISABLED"},
	{EVDStateWaitable, "DAT_EVD_STATE_WAITABLE"},
	{EVDStateUnwaitable, "DAT_EVD_STATE_UNWAITABLE"},
	{EVDStateConfigNotify, "DAT_EVD_STATE_CONFIG_NOTIFY"},
	{EVDStateConfigSolicited, "DAT_EVD_STATE_CONFIG_SOLICITED"},
	{EVDStateConfigThreshold, "DAT_EVD_STATE_CONFIG_THRESHOLD"},
}

// String returns the names of the bits, followed by that of the configuration, in C's
// spelling.
func (v EVDState) String() string {
	const config = EVDStateConfigThreshold // a value of two bits
	bits, value := v&^config, evdStateWords.exact(v&config)
	switch {
	case value == "":
		return evdStateWords.all(bits)
	case bits == 0:
		return value
	}
	return evdStateWords.all(bits) + "|" + value
}

var pzSupportWords = words[PZSupport]{
	{PZUnique, "DAT_PZ_UNIQUE"},
	{PZSame, "DAT_PZ_SAME"},
	{PZShareable, "DAT_PZ_SHAREABLE"},
}

// String gives the name of the value as C spells it.
func (v PZSupport) String() string { return pzSupportWords.one(v) }

var dtosWords = words[DTOS]{
	{DTOSend, "DAT_DTO_SEND"},
	{DTORDMAWrite, "DAT_DTO_RDMA_WRITE"},
	{DTORDMARead, "DAT_DTO_RDMA_READ"},
	{DTOReceive, "DAT_DTO_RECEIVE"},
	{DTOReceiveWithInvalidate, "DAT_DTO_RECEIVE_WITH_INVALIDATE"},
	{DTOBindMW, "DAT_DTO_BIND_MW"},
	{DTOLMRFMR, "DAT_DTO_LMR_FMR"},
	{DTOLMRInvalidate, "DAT_DTO_LMR_INVALIDATE"},
	{IBDTORDMAWriteImmed, "DAT_IB_DTO_RDMA_WRITE_IMMED"},
	{IBDTORecvImmed, "DAT_IB_DTO_RECV_IMMED"},
	{IBDTOFetchAdd, "DAT_IB_DTO_FETCH_ADD"},
	{IBDTOCmpSwap, "DAT_IB_DTO_CMP_SWAP"},
	{IBDTORecvMsgImmed, "DAT_IB_DTO_RECV_MSG_IMMED"},
	{IBDTOSendUD, "DAT_IB_DTO_SEND_UD"},
	{IBDTORecvUD, "DAT_IB_DTO_RECV_UD"},
	{IBDTORecvUDImmed, "DAT_IB_DTO_RECV_UD_IMMED"},
	{IBDTOCollectives, "DAT_IB_DTO_COLLECTIVES"},
}

// String gives the name of the value as C spells it.
func (v DTOS) String() string { return dtosWords.one(v) }

var vaTypeWords = words[VAType]{
	{VATypeVA, "DAT_VA_TYPE_VA"},
	{VATypeZB, "DAT_VA_TYPE_ZB"},
}

// String gives the name of the value as C spells it.
func (v VAType) String() string { return vaTypeWords.one(v) }

var rmrScopeWords = words[RMRScope]{
	{RMRScopeEP, "DAT_RMR_SCOPE_EP"},
	{RMRScopePZ, "DAT_RMR_SCOPE_PZ"},
	{RMRScopeAny, "DAT_RMR_SCOPE_ANY"},
}

// String gives the name of the value as C spells it.
func (v RMRScope) String() string { return rmrScopeWords.one(v) }

var extensionWords = words[Extension]{
	{ExtensionNone, "DAT_EXTENSION_NONE"},
	{ExtensionIB, "DAT_EXTENSION_IB"},
	{ExtensionIW, "DAT_EXTENSION_IW"},
}

// String gives the name of the value as C spells it.
func (v Extension) String() string { return extensionWords.one(v) }

var proxyTypeWords = words[ProxyType]{
	{ProxyTypeNone, "DAT_PROXY_TYPE_NONE"},
	{ProxyTypeAgent, "DAT_PROXY_TYPE_AGENT"},
	{ProxyTypeFD, "DAT_PROXY_TYPE_FD"},
}

// String gives the name of the value as C spells it.
func (v ProxyType) String() string { return proxyTypeWords.one(v) }

var haRelationshipWords = words[HARelationship]{
	{HAFalse, "DAT_HA_FALSE"},
	{HATrue, "DAT_HA_TRUE"},
	{HAUnknown, "DAT_HA_UNKNOWN"},
	{HAConflicting, "DAT_HA_CONFLICTING"},
	{HAExtensionBase, "DAT_HA_EXTENSION_BASE"},
}

// String gives the name of the value as C spells it.
func (v HARelationship) String() string { return haRelationshipWords.one(v) }
