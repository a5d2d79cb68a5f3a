/** What `restWhenIdle.ts` changes of kafkajs, which has no types for its inner parts. */
declare module "kafkajs/src/network/requestQueue/index.js" {
  export default class RequestQueue {
    readonly pending: readonly unknown[]
    scheduleCheckPendingRequests(): void
  }
}
