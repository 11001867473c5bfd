//go:build !godapl_noasm

#include "textflag.h"

// func prefetchStore(addr uint64)
TEXT ·prefetchStore(SB), NOSPLIT, $0-8
	MOVQ addr+0(FP), AX
	BYTE $0x0f; BYTE $0x0d; BYTE $0x08 // PREFETCHW (AX)
	RET

// func cpuidExtended1() (ecx uint32)
TEXT ·cpuidExtended1(SB), NOSPLIT, $0-4
	MOVL $0x80000000, AX
	CPUID
	CMPL AX, $0x80000001
	JCS  none
	MOVL $0x80000001, AX
	CPUID
	MOVL CX, ecx+0(FP)
	RET
none:
	MOVL $0, ecx+0(FP)
	RET
