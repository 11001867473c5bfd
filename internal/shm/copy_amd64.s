//go:build !race && !godapl_noasm

#include "textflag.h"

// func moveString(dst, src *byte, n uintptr)
TEXT ·moveString(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	CLD
	REP; MOVSB
	RET

// func cpuid7() (ebx, edx uint32)
TEXT ·cpuid7(SB), NOSPLIT, $0-8
	XORL AX, AX
	CPUID
	CMPL AX, $7
	JLT  none
	MOVL $7, AX
	XORL CX, CX
	CPUID
	MOVL BX, ebx+0(FP)
	MOVL DX, edx+4(FP)
	RET
none:
	MOVL $0, ebx+0(FP)
	MOVL $0, edx+4(FP)
	RET
