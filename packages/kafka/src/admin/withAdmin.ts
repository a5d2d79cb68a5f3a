import type { Admin } from "kafkajs"
import { createClient, type KafkaConnection } from "../client/connectKafka.ts"
import { withinDeadline } from "../withinDeadline.ts"

/** Asks the cluster with a client of its own, and hangs up. Rejects where the broker does not answer. */
export async function withAdmin<T>(
  kafka: KafkaConnection,
  requestTimeoutMs: number,
  ask: (admin: Admin) => Promise<T>,
): Promise<T> {
  const admin = createClient(kafka, { requestTimeoutMs, retries: 2 }).admin()
  await admin.connect()
  try {
    return await ask(admin)
  } finally {
    await withinDeadline(
      admin.disconnect().catch(() => {}),
      2_000,
      null,
    )
  }
}
