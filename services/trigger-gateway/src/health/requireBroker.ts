import { checkBroker, type KafkaConnection } from "@sitewire/kafka"

/** Rejects with why the cluster does not respond, after `deadlineMs` at the latest. */
export async function askBroker(kafka: KafkaConnection, deadlineMs: number): Promise<void> {
  const state = await checkBroker({ kafka, deadlineMs })
  if (state.status === "unreachable") throw new Error(state.why)
}
