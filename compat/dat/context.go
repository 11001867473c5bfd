package dat

import "sync"

// contextSlot is the consumer's context of an object.
type contextSlot struct {
	mu    sync.Mutex
	value Context
}

// SetConsumerContext attaches one value to an object, instead of the one before
// (dat_set_consumer_context). The zero Context clears it.
func SetConsumerContext[H AnyHandle](datHandle H, context Context) Return {
	o := find(Handle(datHandle))
	if o == nil {
		return failure(InvalidHandle, InvalidHandle1)
	}
	o.context.mu.Lock()
	defer o.context.mu.Unlock()
	o.context.value = context
	return Success
}

// GetConsumerContext gives the value back; the zero Context if none was set
// (dat_get_consumer_context).
func GetConsumerContext[H AnyHandle](datHandle H, context *Context) Return {
	o := find(Handle(datHandle))
	if o == nil {
		return failure(InvalidHandle, InvalidHandle1)
	}
	if context == nil {
		return badArg(2)
	}
	o.context.mu.Lock()
	defer o.context.mu.Unlock()
	*context = o.context.value
	return Success
}

// GetHandleType returns the kind of an object (dat_get_handle_type).
func GetHandleType[H AnyHandle](datHandle H, handleType *HandleType) Return {
	if find(Handle(datHandle)) == nil {
		return failure(InvalidHandle, InvalidHandle1)
	}
	if handleType == nil {
		return badArg(2)
	}
	*handleType = kindOf(Handle(datHandle))
	return Success
}
