package debug_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/godapl/godapl/rdma"
	"github.com/godapl/godapl/rdma/debug"
)

func Example() {
	adapter, err := rdma.Open(context.Background(), "soft-loop", rdma.OpenConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer adapter.Close()
	defer debug.Publish(adapter)()
	// A program listens with http.ListenAndServe("localhost:6060", nil).
	server := httptest.NewServer(http.DefaultServeMux)
	defer server.Close()
	answer, err := server.Client().Get(server.URL + "/debug/rdma/")
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	fmt.Println(answer.Status, answer.Header.Get("Content-Type"))
	// Output: 200 OK text/html; charset=utf-8
}

func ExampleHandler() {
	adapter, err := rdma.Open(context.Background(), "soft-loop", rdma.OpenConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer adapter.Close()
	remove := debug.Publish(adapter)
	defer remove()
	mux := http.NewServeMux()
	mux.Handle("/admin/rdma", debug.Handler())
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest("GET", "/admin/rdma?format=json", nil))
	var s debug.Snapshot
	if err := json.NewDecoder(w.Body).Decode(&s); err != nil {
		log.Fatal(err)
	}
	var row debug.Adapter = s.Adapters[0]
	var conns []debug.Conn = s.Conns
	fmt.Println(row.Name, len(conns))
	// Output: soft-loop 0
}

func ExampleShow() {
	credits := 12
	remove := debug.Show("mailbox of orders", func() []debug.Fact {
		return []debug.Fact{{Name: "credits", Value: fmt.Sprint(credits)}}
	})
	defer remove()
	w := httptest.NewRecorder()
	debug.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/debug/rdma/?format=json", nil))
	var s debug.Snapshot
	if err := json.NewDecoder(w.Body).Decode(&s); err != nil {
		log.Fatal(err)
	}
	var object debug.Object = s.Shown[0]
	fmt.Println(object.Name, object.Facts)
	var zones []debug.Zone = s.Zones
	var queues []debug.Queue = s.Queues
	fmt.Println(len(zones), len(queues))
	// Output:
	// mailbox of orders [{credits 12}]
	// 0 0
}
