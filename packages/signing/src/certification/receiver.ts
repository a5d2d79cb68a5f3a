import type { DeliverySigner, TestMessage } from "./createDeliverySigner.ts"

export type TestResponse = {
  response: {
    /** The id that was sent in X-Sitewire-Delivery. */
    delivery: string
    /** Null: there was no response. */
    status: number | null
    /** Why there was no response; `status` for a status other than 2xx; null for 2xx. */
    error: SendError | null
    detail: string | null
    /** Until the head of the response. */
    duration_ms: number
  }
  /** The beginning of the response's body, without secrets and signatures. */
  excerpt: string | null
}

type SendError = "timeout" | "dns" | "connect" | "tls" | "reset" | "status" | "blocked-address" | "protocol"

/** What the points need: who signs, what is sent, and how. */
export type Receiver = DeliverySigner & {
  channelId: string
  /** The secret that a rotation adds. */
  stagedSecret: string | null
  /** A body and its signature by a secret that was retired. */
  retired: { body: Buffer; signature: string } | null
  send(message: TestMessage, headers: Record<string, string>): Promise<TestResponse>
}

export function isAccepted(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300
}
