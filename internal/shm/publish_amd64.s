//go:build !race && !godapl_noasm

#include "textflag.h"

// func StoreRelease(p *atomic.Uint64, v uint64)
TEXT ·StoreRelease(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), AX
	MOVQ v+8(FP), BX
	MOVQ BX, (AX)
	RET

// func StoreByte(p *byte, v byte)
TEXT ·StoreByte(SB), NOSPLIT, $0-9
	MOVQ p+0(FP), AX
	MOVB v+8(FP), BX
	MOVB BX, (AX)
	RET
