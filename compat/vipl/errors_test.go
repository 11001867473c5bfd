package vipl

import (
	"slices"
	"testing"
	"testing/synctest"
)

// TestErrorsOneAtATime: the handler gets the next error when it has returned, in order, and a
// handler that was set meanwhile gets the rest. CloseNic drops what waits.
func TestErrorsOneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &nic{handle: 7}
		r := &n.errors
		r.nic = n
		var heard []ErrorCode
		goOn := make(chan struct{})
		handler := func(to any, d *ErrorDescriptor) {
			if d.NicHandle != 7 || to != "first" {
				t.Errorf("NIC %d, context %v", d.NicHandle, to)
			}
			heard = append(heard, d.ErrorCode)
			<-goOn
		}
		r.context, r.handler = "first", handler
		told := []ErrorCode{ErrorConnLost, ErrorRecvqEmpty, ErrorVIOverrun}
		for _, code := range told {
			r.tell(ErrorDescriptor{ErrorCode: code})
		}
		for i := range told {
			synctest.Wait() // every goroutine stands still
			if !slices.Equal(heard, told[:i+1]) {
				t.Fatalf("the handler has been called for %v, while it holds %v", heard, told[i])
			}
			goOn <- struct{}{}
		}
		n.work.Wait()

		other := make(chan ErrorCode, 1)
		r.tell(ErrorDescriptor{ErrorCode: ErrorConnLost})
		r.tell(ErrorDescriptor{ErrorCode: ErrorRdmawProt})
		synctest.Wait()
		r.mu.Lock()
		r.handler = func(_ any, d *ErrorDescriptor) { other <- d.ErrorCode }
		r.mu.Unlock()
		goOn <- struct{}{}
		if code := <-other; code != ErrorRdmawProt || len(heard) != 4 {
			t.Fatalf("the new handler got %v, the old one %v", code, heard)
		}
		n.work.Wait()

		r.handler = handler
		r.tell(ErrorDescriptor{ErrorCode: ErrorConnLost})
		r.tell(ErrorDescriptor{ErrorCode: ErrorConnLost})
		synctest.Wait()
		r.stop()
		r.tell(ErrorDescriptor{ErrorCode: ErrorConnLost})
		goOn <- struct{}{}
		n.work.Wait()
		if len(heard) != 5 {
			t.Fatalf("%d errors after the NIC was closed", len(heard)-5)
		}
	})
}
