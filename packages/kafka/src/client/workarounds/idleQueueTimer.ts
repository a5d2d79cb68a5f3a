import RequestQueue from "kafkajs/src/network/requestQueue/index.js"

/**
 * kafkajs 2.2.4 looks each millisecond, on each open connection, whether a request waits to be sent: it sets that timer
 * again although none does (its issue 1704). An idle process woke a thousand times a second for it, and a busy one lost
 * a twelfth. A request that has to wait sets the timer itself, so it is left out while none does.
 */
const look = RequestQueue.prototype.scheduleCheckPendingRequests

RequestQueue.prototype.scheduleCheckPendingRequests = function () {
  if (this.pending.length > 0) look.call(this)
}
