//go:build !race

package soft

func raceSend() {}
func raceRecv() {}

func raceSendSocket()    {}
func raceRecvSocket(int) {}
