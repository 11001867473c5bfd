package dat_test

import (
	"fmt"
	"net"

	"github.com/godapl/godapl/compat/dat"
)

// exampleRequest has a client ask a server for a connection.
func exampleRequest(name string) (server, client *exampleSide, event dat.Event, done func()) {
	server, client = newExampleSide(), newExampleSide()
	var qual dat.ConnQual
	var psp dat.PSPHandle
	dat.PSPCreateAny(server.ia, &qual, server.evd, dat.PSPConsumerFlag, &psp)
	address, private := &net.IPAddr{IP: net.IPv4(127, 0, 0, 1)}, []byte(name)
	dat.EPConnect(client.ep, address, qual, 10000000, dat.Count(len(private)), private, dat.QOSBestEffort, dat.ConnectDefaultFlag)
	return server, client, server.next(), func() {
		dat.IAClose(client.ia, dat.CloseAbruptFlag)
		dat.IAClose(server.ia, dat.CloseAbruptFlag)
	}
}

func ExampleCRHandle() {
	server, client, event, done := exampleRequest("first client")
	defer done()
	cr := event.EventData.CRArrivalEventData.CRHandle
	answer := []byte("welcome")
	ret := dat.CRAccept(cr, server.ep, dat.Count(len(answer)), answer)
	fmt.Println(ret == dat.Success)
	data := client.next().EventData.ConnectEventData
	fmt.Printf("%s\n", data.PrivateData[:data.PrivateDataSize])
	// Output:
	// true
	// welcome
}

func ExampleCRParam() {
	_, _, event, done := exampleRequest("first client")
	defer done()
	cr := event.EventData.CRArrivalEventData.CRHandle
	var param dat.CRParam
	ret := dat.CRQuery(cr, dat.CRFieldAll, &param)
	fmt.Printf("%t %s\n", ret == dat.Success, param.PrivateData[:param.PrivateDataSize])
	// Output: true first client
}

func ExampleCRParamMask() {
	_, _, event, done := exampleRequest("first client")
	defer done()
	cr := event.EventData.CRArrivalEventData.CRHandle
	var param dat.CRParam
	ret := dat.CRQuery(cr, dat.CRFieldPrivateDataSize|dat.CRFieldPrivateData, &param)
	fmt.Println(ret == dat.Success, param.PrivateDataSize)
	// Output: true 12
}

func ExampleCRArrivalEventData() {
	_, _, event, done := exampleRequest("first client")
	defer done()
	request := event.EventData.CRArrivalEventData
	fmt.Println(event.EventNumber == dat.ConnectionRequestEvent, request.SPHandle.PSPHandle != dat.HandleNull)
	// Output: true true
}

func ExampleConnectionEventData() {
	_, client, event, done := exampleRequest("first client")
	defer done()
	ret := dat.CRReject20(event.EventData.CRArrivalEventData.CRHandle, 4, []byte("full"))
	event = client.next()
	data := event.EventData.ConnectEventData
	fmt.Println(ret == dat.Success, event.EventNumber == dat.ConnectionEventPeerRejected, data.EPHandle == client.ep)
	fmt.Printf("%s\n", data.PrivateData)
	// Output:
	// true true true
	// full
}

func ExampleCRReject() {
	_, client, event, done := exampleRequest("first client")
	defer done()
	cr := event.EventData.CRArrivalEventData.CRHandle
	ret := dat.CRReject(cr)
	fmt.Println(ret == dat.Success, client.next().EventNumber == dat.ConnectionEventPeerRejected)
	// Output: true true
}

func ExampleCRHandoff() {
	server, _, event, done := exampleRequest("first client")
	defer done()
	var other dat.PSPHandle
	dat.PSPCreate(server.ia, 45260, server.evd, dat.PSPConsumerFlag, &other)
	cr := event.EventData.CRArrivalEventData.CRHandle
	ret := dat.CRHandoff(cr, 45260)
	fmt.Println(ret == dat.Success, server.next().EventData.CRArrivalEventData.ConnQual)
	// Output: true 45260
}

func ExamplePortQual() {
	_, client, done := examplePair()
	defer done()
	var param dat.EPParam
	dat.EPQuery(client.ep, dat.EPFieldRemotePortQual, &param)
	var port dat.PortQual = param.RemotePortQual // where it has connected to
	fmt.Println(port != 0)
	// Output: true
}
