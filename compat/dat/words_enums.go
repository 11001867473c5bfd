package dat

var iovOwnershipWords = words[IOVOwnership]{
	{IOVConsumer, "DAT_IOV_CONSUMER"},
	{IOVProviderNomod, "DAT_IOV_PROVIDER_NOMOD"},
	{IOVProviderMod, "DAT_IOV_PROVIDER_MOD"},
}

// String gives the name of the value as C spells it.
func (v IOVOwnership) String() string { return iovOwnershipWords.one(v) }

var epCreatorForPSPWords = words[EPCreatorForPSP]{
	{PSPCreatesEPNever, "DAT_PSP_CREATES_EP_NEVER"},
	{PSPCreatesEPIfasked, "DAT_PSP_CREATES_EP_IFASKED"},
	{PSPCreatesEPAlways, "DAT_PSP_CREATES_EP_ALWAYS"},
}

// String gives the name of the value as C spells it.
func (v EPCreatorForPSP) String() string { return epCreatorForPSPWords.one(v) }

var serviceTypeWords = words[ServiceType]{
	{ServiceTypeRC, "DAT_SERVICE_TYPE_RC"},
	{IBServiceTypeUD, "DAT_IB_SERVICE_TYPE_UD"},
}

// String gives the name of the value as C spells it.
func (v ServiceType) String() string { return serviceTypeWords.one(v) }

var epStateWords = words[EPState]{
	{EPStateUnconnected, "DAT_EP_STATE_UNCONNECTED"},
	{EPStateUnconfiguredUnconnected, "DAT_EP_STATE_UNCONFIGURED_UNCONNECTED"},
	{EPStateReserved, "DAT_EP_STATE_RESERVED"},
	{EPStateUnconfiguredReserved, "DAT_EP_STATE_UNCONFIGURED_RESERVED"},
	{EPStatePassiveConnectionPending, "DAT_EP_STATE_PASSIVE_CONNECTION_PENDING"},
	{EPStateUnconfiguredPassive, "DAT_EP_STATE_UNCONFIGURED_PASSIVE"},
	{EPStateActiveConnectionPending, "DAT_EP_STATE_ACTIVE_CONNECTION_PENDING"},
	{EPStateTentativeConnectionPending, "DAT_EP_STATE_TENTATIVE_CONNECTION_PENDING"},
	{EPStateUnconfiguredTentative, "DAT_EP_STATE_UNCONFIGURED_TENTATIVE"},
	{EPStateConnected, "DAT_EP_STATE_CONNECTED"},
	{EPStateDisconnectPending, "DAT_EP_STATE_DISCONNECT_PENDING"},
	{EPStateDisconnected, "DAT_EP_STATE_DISCONNECTED"},
	{EPStateCompletionPending, "DAT_EP_STATE_COMPLETION_PENDING"},
	{EPStateConnectedSinglePath, "DAT_EP_STATE_CONNECTED_SINGLE_PATH"},
	{EPStateConnectedMultiPath, "DAT_EP_STATE_CONNECTED_MULTI_PATH"},
}

// String gives the name of the value as C spells it.
func (v EPState) String() string { return epStateWords.one(v) }

var srqStateWords = words[SRQState]{
	{SRQStateOperational, "DAT_SRQ_STATE_OPERATIONAL"},
	{SRQStateError, "DAT_SRQ_STATE_ERROR"},
	{SRQStateShutdown, "DAT_SRQ_STATE_SHUTDOWN"},
}

// String gives the name of the value as C spells it.
func (v SRQState) String() string { return srqStateWords.one(v) }

var memTypeWords = words[MemType]{
	{MemTypeVirtual, "DAT_MEM_TYPE_VIRTUAL"},
	{MemTypeLMR, "DAT_MEM_TYPE_LMR"},
	{MemTypeSharedVirtual, "DAT_MEM_TYPE_SHARED_VIRTUAL"},
	{MemTypeSOVirtual, "DAT_MEM_TYPE_SO_VIRTUAL"},
}

// String gives the name of the value as C spells it.
func (v MemType) String() string { return memTypeWords.one(v) }

var handleTypeWords = words[HandleType]{
	{HandleTypeCR, "DAT_HANDLE_TYPE_CR"},
	{HandleTypeEP, "DAT_HANDLE_TYPE_EP"},
	{HandleTypeEVD, "DAT_HANDLE_TYPE_EVD"},
	{HandleTypeIA, "DAT_HANDLE_TYPE_IA"},
	{HandleTypeLMR, "DAT_HANDLE_TYPE_LMR"},
	{HandleTypePSP, "DAT_HANDLE_TYPE_PSP"},
	{HandleTypePZ, "DAT_HANDLE_TYPE_PZ"},
	{HandleTypeRMR, "DAT_HANDLE_TYPE_RMR"},
	{HandleTypeRSP, "DAT_HANDLE_TYPE_RSP"},
	{HandleTypeCNO, "DAT_HANDLE_TYPE_CNO"},
	{HandleTypeSRQ, "DAT_HANDLE_TYPE_SRQ"},
	{HandleTypeCSP, "DAT_HANDLE_TYPE_CSP"},
	{IBHandleTypeExt, "DAT_IB_HANDLE_TYPE_EXT"},
	{IBHandleTypeCollective, "DAT_IB_HANDLE_TYPE_COLLECTIVE"},
}

// String gives the name of the value as C spells it.
func (v HandleType) String() string { return handleTypeWords.one(v) }
