#include "textflag.h"

GLOBL ·withErrnoAddr(SB), NOPTR|RODATA, $8
DATA ·withErrnoAddr(SB)/8, $withErrno<>(SB)

// withErrno is a C function of seven arguments: a function to call, five
// arguments for it, and __errno_location. It sets errno to zero, makes the call
// and returns the call's value in RAX and errno in RDX.
//
// RBX, which a C function must preserve, holds the address of errno. With it and
// 48 bytes the stack is aligned to 16, as C wants it.
TEXT withErrno<>(SB), NOSPLIT|NOFRAME, $0-0
	PUSHQ BX
	SUBQ  $48, SP
	MOVQ  DI, 0(SP)
	MOVQ  SI, 8(SP)
	MOVQ  DX, 16(SP)
	MOVQ  CX, 24(SP)
	MOVQ  R8, 32(SP)
	MOVQ  R9, 40(SP)
	MOVQ  64(SP), AX // the seventh, above RBX and the return address
	CALL  AX
	MOVQ  AX, BX
	MOVL  $0, (BX)

	MOVQ 0(SP), AX
	MOVQ 8(SP), DI
	MOVQ 16(SP), SI
	MOVQ 24(SP), DX
	MOVQ 32(SP), CX
	MOVQ 40(SP), R8
	CALL AX

	MOVL (BX), DX
	ADDQ $48, SP
	POPQ BX
	RET
