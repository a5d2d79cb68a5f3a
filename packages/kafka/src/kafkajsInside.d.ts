// What we touch of kafkajs's inner parts, which have no types.

/** Changed by `restWhenIdle.ts`. */
declare module "kafkajs/src/network/requestQueue/index.js" {
  export default class RequestQueue {
    readonly pending: readonly unknown[]
    scheduleCheckPendingRequests(): void
  }
}

/** Changed by `leaveSilentBroker.ts`. */
declare module "kafkajs/src/network/connectionPool.js" {
  type Connection = {
    readonly socket: import("node:net").Socket
    isConnected(): boolean
    rejectRequests(error: Error): void
    disconnect(): Promise<unknown>
  }
  export default class ConnectionPool {
    readonly host: string
    readonly port: number
    readonly pool: readonly Connection[]
    send(request: { request: { apiName: string } }): Promise<unknown>
  }
}

/** Thrown by `leaveSilentBroker.ts`; kafkajs exports it without a type. */
declare module "kafkajs/src/errors.js" {
  const errors: {
    KafkaJSConnectionClosedError: new (message: string, broker: { host: string; port: number }) => Error
  }
  export default errors
}

/** Tests let it get a broker's answers that none can be made to give at will. */
declare module "kafkajs/src/broker/index.js" {
  export default class Broker {
    fetch(request: object): Promise<object>
    heartbeat(request: object): Promise<object>
    joinGroup(request: object): Promise<object>
  }
}
