#include "textflag.h"

GLOBL ·crossAddr(SB), NOPTR|RODATA, $8
DATA ·crossAddr(SB)/8, $cross<>(SB)

// cross is a C function of one argument, a crossing: it makes the call that is
// in there, and leaves value and errno there.
//
// RBX and R12, which a C function must preserve, hold the crossing and the
// address of errno. With the two and 8 bytes the stack is aligned to 16, as C
// wants it.
TEXT cross<>(SB), NOSPLIT|NOFRAME, $0-0
	PUSHQ BX
	PUSHQ R12
	SUBQ  $8, SP
	MOVQ  DI, BX
	MOVQ  48(BX), AX
	TESTQ AX, AX
	JZ    call
	CALL  AX
	MOVQ  AX, R12
	MOVL  $0, (R12)

call:
	MOVQ 0(BX), AX
	MOVQ 8(BX), DI
	MOVQ 16(BX), SI
	MOVQ 24(BX), DX
	MOVQ 32(BX), CX
	MOVQ 40(BX), R8
	CALL AX
	MOVQ AX, 56(BX)
	CMPQ 48(BX), $0
	JE   done
	MOVL (R12), AX
	MOVQ AX, 64(BX)

done:
	ADDQ $8, SP
	POPQ R12
	POPQ BX
	XORL AX, AX
	RET
