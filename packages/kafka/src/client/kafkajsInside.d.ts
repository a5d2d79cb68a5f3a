// Internal modules of kafkajs, which have no types.

/** Patched by `workarounds/idleQueueTimer.ts`. */
declare module "kafkajs/src/network/requestQueue/index.js" {
  export default class RequestQueue {
    readonly pending: readonly unknown[]
    scheduleCheckPendingRequests(): void
  }
}

/** Patched by `workarounds/malformedResponseThrows.ts`. */
declare module "kafkajs/src/network/connection.js" {
  export default class Connection {
    readonly socket: import("node:net").Socket
    readonly authHandlers: { onError(): void } | null
    readonly bytesNeeded: number
    processData(data: Buffer): void
  }
}

/** Patched by `workarounds/hangingBrokerStaysConnected.ts`. */
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

declare module "kafkajs/src/errors.js" {
  const errors: {
    KafkaJSConnectionClosedError: new (message: string, broker: { host: string; port: number }) => Error
  }
  export default errors
}

declare module "kafkajs/src/broker/index.js" {
  type Response = { decode(data: Buffer): Promise<object>; parse(data: object): Promise<object> }
  type Call = { request: object; response: Response }
  export default class Broker {
    readonly connectionPool: { send(call: object): Promise<object> }
    readonly allowAutoTopicCreation: boolean
    lookupRequest(apiKey: number, versions: object): (parameters: object) => Call
    isConnected(): boolean
    disconnect(): Promise<void>
    metadata(topics: string[]): Promise<object>
    fetch(request: object): Promise<object>
    heartbeat(request: object): Promise<object>
    joinGroup(request: object): Promise<object>
    offsetCommit(request: object): Promise<object>
    offsetFetch(request: { topics: unknown[] }): Promise<object>
    createTopics(request: object): Promise<object>
  }
}

declare module "kafkajs/src/cluster/brokerPool.js" {
  import type Broker from "kafkajs/src/broker/index.js"
  export default class BrokerPool {
    constructor(options: object)
    readonly brokers: Record<number, Broker>
    readonly metadata: object | null
    metadataExpireAt: number | null
    createBroker: (options: object) => Broker
    connect(): Promise<void>
    disconnect(): Promise<void>
    refreshMetadata(topics: string[]): Promise<void>
    findBroker(of: { nodeId: number }): Promise<Broker>
    findConnectedBroker(): Promise<Broker>
    refreshMetadataIfNecessary(topics: string[]): Promise<void>
  }
}

/** Patched by `workarounds/missingLeaderStopsAll.ts`. */
declare module "kafkajs/src/consumer/offsetManager/index.js" {
  import type Cluster from "kafkajs/src/cluster/index.js"
  export default class OffsetManager {
    readonly cluster: Cluster
    readonly memberAssignment: Record<string, number[]>
    resolveOffsets(): Promise<void>
  }
}

/** Patched by `workarounds/brokerErrorsHidden.ts` and `workarounds/missingLeaderStopsAll.ts`. */
declare module "kafkajs/src/cluster/index.js" {
  import type Broker from "kafkajs/src/broker/index.js"
  import type BrokerPool from "kafkajs/src/cluster/brokerPool.js"

  type Bail = (error: unknown) => void
  export default class Cluster {
    readonly brokerPool: BrokerPool
    readonly retrier: <T>(work: (bail: Bail) => Promise<T>) => Promise<T>
    metadata(request?: { topics?: string[] }): Promise<unknown>
    findBroker(of: { nodeId: number }): Promise<Broker>
    findControllerBroker(): Promise<Broker>
    findTopicPartitionMetadata(topic: string): { partitionId: number; leader: number }[]
  }
}

declare module "kafkajs/src/cluster/connectionPoolBuilder.js" {
  export default function connectionPoolBuilder(options: object): object
}

declare module "kafkajs/src/network/socketFactory.js" {
  export default function socketFactory(): object
}

declare module "kafkajs/src/loggers/index.js" {
  const loggers: {
    createLogger(options: { level: number; logCreator: import("kafkajs").logCreator }): object
  }
  export default loggers
}

declare module "kafkajs/src/producer/partitioners/default/murmur2.js" {
  export default function murmur2(key: Uint8Array): number
}

declare module "kafkajs/src/protocol/requests/index.js" {
  const protocol: { requests: { ListOffsets: object; Metadata: object; Produce: object } }
  export default protocol
}

declare module "kafkajs/src/protocol/requests/apiKeys.js" {
  const keys: { ListOffsets: number; Metadata: number; Produce: number }
  export default keys
}

declare module "kafkajs/src/protocol/isolationLevel.js" {
  const levels: { READ_COMMITTED: number; READ_UNCOMMITTED: number }
  export default levels
}

/** Patched by `workarounds/idleFetchesTooFrequent.ts`. */
declare module "kafkajs/src/consumer/consumerGroup.js" {
  export default class ConsumerGroup {
    maxWaitTime: number
    paused(): unknown[]
    fetch(nodeId: number): Promise<{ isEmpty(): boolean }[]>
  }
}

declare module "kafkajs/src/consumer/batch.js" {
  type Context = { firstOffset: string; lastOffsetDelta: number }
  export default class Batch {
    constructor(topic: string, fetchedOffset: string, partitionData: object)
    /** Without markers of transactions, and without records of aborted ones if only committed ones were fetched. */
    readonly messages: import("kafkajs").KafkaMessage[]
    readonly rawMessages: { offset: string; timestamp: string; batchContext: Context }[]
  }
}

declare module "kafkajs/src/protocol/error.js" {
  const errors: { createErrorFromCode(code: number): import("kafkajs").KafkaJSProtocolError }
  export default errors
}
