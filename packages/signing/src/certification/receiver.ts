import type { DeliverySigner, TestMessage } from "./createDeliverySigner.ts"
import type { ReceivedResponse } from "./points.ts"

export type TestResponse = {
  response: Omit<ReceivedResponse, "response_excerpt">
  /** The beginning of the response's body, without secrets and signatures. */
  excerpt: string | null
}

/** What the points need: who signs, what is sent, and how. Who sends decides which addresses may be called. */
export type Receiver = Pick<DeliverySigner, "genuineHeaders" | "headersBy" | "headersWith"> & {
  channelId: string
  maxPerSecond: number | null
  /** The secret that a rotation of the channel's secret adds, or is about to remove. */
  otherSecret: { value: string; state: "staged" | "retiring" } | null
  /** A body and its signature by the secret that was retired last. */
  retired: { body: Buffer; signature: string } | null
  send(message: TestMessage, headers: Record<string, string>): Promise<TestResponse>
}

export function isAccepted(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300
}
