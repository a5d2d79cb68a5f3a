import { checkBroker, type KafkaConnection } from "@sitewire/kafka"

/** Rejects with the reason if the cluster does not respond within `deadlineMs`. */
export async function requireBroker(kafka: KafkaConnection, deadlineMs: number): Promise<void> {
  const state = await checkBroker({ kafka, deadlineMs })
  if (state.status === "unreachable") throw new Error(state.why)
}
