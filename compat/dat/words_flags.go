package dat

var completionFlagsWords = words[CompletionFlags]{
	{CompletionDefaultFlag, "DAT_COMPLETION_DEFAULT_FLAG"},
	{CompletionSuppressFlag, "DAT_COMPLETION_SUPPRESS_FLAG"},
	{CompletionSolicitedWaitFlag, "DAT_COMPLETION_SOLICITED_WAIT_FLAG"},
	{CompletionUnsignalledFlag, "DAT_COMPLETION_UNSIGNALLED_FLAG"},
	{CompletionBarrierFenceFlag, "DAT_COMPLETION_BARRIER_FENCE_FLAG"},
	{CompletionEVDThresholdFlag, "DAT_COMPLETION_EVD_THRESHOLD_FLAG"},
	{CompletionLMRInvalidateFenceFlag, "DAT_COMPLETION_LMR_INVALIDATE_FENCE_FLAG"},
}

// String gives the names of the bits as C spells them.
func (v CompletionFlags) String() string { return completionFlagsWords.all(v) }

var qosWords = words[QOS]{
	{QOSBestEffort, "DAT_QOS_BEST_EFFORT"},
	{QOSHighThroughput, "DAT_QOS_HIGH_THROUGHPUT"},
	{QOSLowLatency, "DAT_QOS_LOW_LATENCY"},
	{QOSEconomy, "DAT_QOS_ECONOMY"},
	{QOSPremium, "DAT_QOS_PREMIUM"},
}

// String gives the names of the bits as C spells them.
func (v QOS) String() string { return qosWords.all(v) }

var connectFlagsWords = words[ConnectFlags]{
	{ConnectDefaultFlag, "DAT_CONNECT_DEFAULT_FLAG"},
	{ConnectMultipathFlag, "DAT_CONNECT_MULTIPATH_FLAG"},
	{ConnectMultipathRequiredFlag, "DAT_CONNECT_MULTIPATH_REQUIRED_FLAG"},
}

// String gives the names of the bits as C spells them.
func (v ConnectFlags) String() string { return connectFlagsWords.all(v) }

var closeFlagsWords = words[CloseFlags]{
	{CloseAbruptFlag, "DAT_CLOSE_ABRUPT_FLAG"},
	{CloseGracefulFlag, "DAT_CLOSE_GRACEFUL_FLAG"},
}

// String gives the names of the bits as C spells them.
func (v CloseFlags) String() string { return closeFlagsWords.all(v) }

var evdFlagsWords = words[EVDFlags]{
	{EVDSoftwareFlag, "DAT_EVD_SOFTWARE_FLAG"},
	{EVDCRFlag, "DAT_EVD_CR_FLAG"},
	{EVDDTOFlag, "DAT_EVD_DTO_FLAG"},
	{EVDConnectionFlag, "DAT_EVD_CONNECTION_FLAG"},
	{EVDRMRBindFlag, "DAT_EVD_RMR_BIND_FLAG"},
	{EVDAsyncFlag, "DAT_EVD_ASYNC_FLAG"},
	{EVDDefaultFlag, "DAT_EVD_DEFAULT_FLAG"},
	{IBEVDExtensionFlag, "DAT_IB_EVD_EXTENSION_FLAG"},
}

// String gives the names of the bits as C spells them.
func (v EVDFlags) String() string { return evdFlagsWords.all(v) }

var pspFlagsWords = words[PSPFlags]{
	{PSPConsumerFlag, "DAT_PSP_CONSUMER_FLAG"},
	{PSPProviderFlag, "DAT_PSP_PROVIDER_FLAG"},
}

// String gives the names of the bits as C spells them.
func (v PSPFlags) String() string { return pspFlagsWords.all(v) }

var memPrivFlagsWords = words[MemPrivFlags]{
	{MemPrivNoneFlag, "DAT_MEM_PRIV_NONE_FLAG"},
	{MemPrivLocalReadFlag, "DAT_MEM_PRIV_LOCAL_READ_FLAG"},
	{MemPrivRemoteReadFlag, "DAT_MEM_PRIV_REMOTE_READ_FLAG"},
	{MemPrivReadFlag, "DAT_MEM_PRIV_READ_FLAG"},
	{MemPrivLocalWriteFlag, "DAT_MEM_PRIV_LOCAL_WRITE_FLAG"},
	{MemPrivRemoteWriteFlag, "DAT_MEM_PRIV_REMOTE_WRITE_FLAG"},
	{MemPrivWriteFlag, "DAT_MEM_PRIV_WRITE_FLAG"},
	{MemPrivAllFlag, "DAT_MEM_PRIV_ALL_FLAG"},
	{IBMemPrivRemoteAtomic, "DAT_IB_MEM_PRIV_REMOTE_ATOMIC"},
	{MemPrivRODisableFlag, "DAT_MEM_PRIV_RO_DISABLE_FLAG"},
}

// String gives the names of the bits as C spells them.
func (v MemPrivFlags) String() string { return memPrivFlagsWords.all(v) }
