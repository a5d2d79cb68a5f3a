import type { TestDelivery } from "@sitewire/contracts"
import { fields } from "@sitewire/contracts/views"
import type { CliCommand } from "../../command.ts"
import { call } from "../../derive/call.ts"
import { exitCodes } from "../../errors/exitCodes.ts"

export function testCommand(
  words: string,
  operation: "testChannel" | "testSecret",
  description: string,
): CliCommand {
  return call(words, operation, {
    description,
    notes:
      "The delivery is marked: its reference is sitewire-test, and its header X-Sitewire-Test is true.\n" +
      `The exit code is ${exitCodes.failed} if the receiver did not accept it.`,
    timeoutMs: 30_000,
    print: { facts },
    failed: ({ attempt }) => attempt.error !== null,
  })
}

const facts = fields<TestDelivery>(
  "delivery",
  ["outcome", { value: ({ attempt }) => (attempt.error === null ? "delivered" : "failed") }],
  ["status", { as: "text", value: ({ attempt }) => attempt.status }],
  ["error", { value: ({ attempt }) => attempt.error }],
  ["detail", { value: ({ attempt }) => attempt.detail }],
  ["duration_ms", { value: ({ attempt }) => attempt.duration_ms }],
  ["ip", { value: ({ attempt }) => attempt.ip }],
  ["secret_id", { value: ({ attempt }) => attempt.secret_id }],
  ["response", { value: ({ attempt }) => attempt.response_excerpt }],
)
