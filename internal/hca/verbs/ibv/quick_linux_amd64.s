//go:build !go1.27

#include "textflag.h"

// func asmcgocall(fn uintptr, arg unsafe.Pointer) int32
TEXT ·asmcgocall(SB), NOSPLIT|NOFRAME, $0-20
	JMP runtime·asmcgocall(SB)
