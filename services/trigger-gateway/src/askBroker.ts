import { checkBroker, type KafkaConnection } from "@sitewire/kafka"

/** Rejects with why the cluster does not answer, or lacks `topic` if one is named, after `deadlineMs` at the latest. */
export async function askBroker(kafka: KafkaConnection, deadlineMs: number, topic?: string): Promise<void> {
  const state = await checkBroker({ kafka, deadlineMs, ...(topic === undefined ? {} : { topic }) })
  if (state.status === "unreachable") throw new Error(state.why)
}
