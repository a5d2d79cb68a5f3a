import type { Admin } from "kafkajs"
import type { KafkaConnection } from "../client/connectKafka.ts"
import { createClient } from "../client/createClient.ts"
import { withinDeadline } from "../withinDeadline.ts"

export async function withAdmin<T>(
  kafka: KafkaConnection,
  requestTimeoutMs: number,
  work: (admin: Admin) => Promise<T>,
): Promise<T> {
  const admin = createClient(kafka, { requestTimeoutMs, retries: 2 }).admin()
  await admin.connect()
  try {
    return await work(admin)
  } finally {
    await withinDeadline(
      admin.disconnect().catch(() => {}),
      2_000,
      null,
    )
  }
}
