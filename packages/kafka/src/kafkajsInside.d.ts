// What we touch of kafkajs's inner parts, which have no types.

/** Changed by `restWhenIdle.ts`. */
declare module "kafkajs/src/network/requestQueue/index.js" {
  export default class RequestQueue {
    readonly pending: readonly unknown[]
    scheduleCheckPendingRequests(): void
  }
}

/** Tests let it get a broker's answers that none can be made to give at will. */
declare module "kafkajs/src/broker/index.js" {
  export default class Broker {
    heartbeat(request: object): Promise<object>
    joinGroup(request: object): Promise<object>
  }
}
