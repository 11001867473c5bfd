package metrics

import "github.com/godapl/godapl/rdma"

type stats = rdma.AdapterStats

// single are the metrics that do not come in rows of operations or statuses.
var single = []Description{
	{"/rdma/receive/waits:messages", Counter, "messages of peers that found no receive and waited for one", "godapl_receive_waits_total", "", "",
		func(s *stats) float64 { return float64(s.ReceiveWaits) }, 0},
	{"/rdma/receive/wait:seconds", Counter, "how long these messages waited together", "godapl_receive_wait_seconds_total", "", "",
		func(s *stats) float64 { return s.ReceiveWait.Seconds() }, 0},
	{"/rdma/send/stalls:times", Counter, "how often the transport had no room for what was to be sent", "godapl_send_stalls_total", "", "",
		func(s *stats) float64 { return float64(s.SendStalls) }, 0},
	{"/rdma/send/high:requests", Gauge, "the largest number of requests that waited in a send queue", "godapl_send_queue_high", "", "",
		func(s *stats) float64 { return float64(s.SendHigh) }, 0},
	{"/rdma/tcp/retransmits:segments", Counter, "TCP segments that were sent again", "godapl_retransmits_total", "", "",
		func(s *stats) float64 { return float64(s.Retransmits) }, 0},

	{"/rdma/queue/taken:completions", Counter, "completions that were taken from completion queues", "godapl_queue_taken_total", "", "",
		func(s *stats) float64 { return float64(s.Queues.Taken) }, 0},
	{"/rdma/queue/waiting:completions", Gauge, "completions that wait in completion queues", "godapl_queue_waiting", "", "",
		func(s *stats) float64 { return float64(s.Queues.Waiting) }, 0},
	{"/rdma/queue/high:completions", Gauge, "the largest number that a poll has found in a completion queue", "godapl_queue_high", "", "",
		func(s *stats) float64 { return float64(s.Queues.High) }, 0},
	{"/rdma/queue/empty-polls:polls", Counter, "polls of completion queues that found nothing", "godapl_queue_empty_polls_total", "", "",
		func(s *stats) float64 { return float64(s.Queues.EmptyPolls) }, 0},
	{"/rdma/queue/arms:times", Counter, "how often a consumer has gone to wait", "godapl_queue_arms_total", "", "",
		func(s *stats) float64 { return float64(s.Queues.Arms) }, 0},
	{"/rdma/queue/wakes:times", Counter, "how often a waiting consumer was woken", "godapl_queue_wakes_total", "", "",
		func(s *stats) float64 { return float64(s.Queues.Wakes) }, 0},
	{"/rdma/queue/overflows:queues", Counter, "completion queues that lost completions", "godapl_queue_overflows_total", "", "",
		func(s *stats) float64 { return float64(s.Queues.Overflows) }, 0},
	{"/rdma/async/lost:events", Counter, "asynchronous events that found their queue full", "godapl_async_lost_total", "", "",
		func(s *stats) float64 { return float64(s.AsyncLost) }, 0},

	{"/rdma/connections/established:connections", Counter, "what became of connections", "godapl_connection_events_total", "event", "established",
		func(s *stats) float64 { return float64(s.Established) }, 0},
	{"/rdma/connections/disconnected:connections", Counter, "what became of connections", "godapl_connection_events_total", "event", "disconnected",
		func(s *stats) float64 { return float64(s.Disconnected) }, 0},
	{"/rdma/connections/broken:connections", Counter, "what became of connections", "godapl_connection_events_total", "event", "broken",
		func(s *stats) float64 { return float64(s.Broken) }, 0},
	{"/rdma/connections/now:connections", Gauge, "connections that exist", "godapl_connections", "", "",
		func(s *stats) float64 { return float64(s.Connections()) }, 0},

	{"/rdma/objects/listeners:objects", Gauge, "objects that exist", "godapl_objects", "kind", "listener",
		func(s *stats) float64 { return float64(s.Listeners) }, 0},
	{"/rdma/objects/endpoints:objects", Gauge, "objects that exist", "godapl_objects", "kind", "endpoint",
		func(s *stats) float64 { return float64(s.Endpoints) }, 0},
	{"/rdma/objects/queues:objects", Gauge, "objects that exist", "godapl_objects", "kind", "queue",
		func(s *stats) float64 { return float64(s.CompletionQueues) }, 0},
	{"/rdma/objects/zones:objects", Gauge, "objects that exist", "godapl_objects", "kind", "zone",
		func(s *stats) float64 { return float64(s.Zones) }, 0},
	{"/rdma/objects/regions:objects", Gauge, "objects that exist", "godapl_objects", "kind", "region",
		func(s *stats) float64 { return float64(s.Regions) }, 0},
	{"/rdma/objects/windows:objects", Gauge, "objects that exist", "godapl_objects", "kind", "window",
		func(s *stats) float64 { return float64(s.Windows) }, 0},
	{"/rdma/memory/registered:bytes", Gauge, "the lengths of all regions together", "godapl_registered_bytes", "", "",
		func(s *stats) float64 { return float64(s.RegisteredBytes) }, 0},
	{"/rdma/memory/mappings:mappings", Gauge, "memory mappings of the library, for all adapters of the process", "godapl_mappings", "", "",
		func(s *stats) float64 { return float64(s.Mappings) }, 0},
}
