import type { TestDelivery } from "@sitewire/contracts"
import type { CliCommand } from "../../command.ts"
import { call } from "../../derive/call.ts"
import { exitCodes } from "../../errors/exitCodes.ts"
import { block } from "../../output/block.ts"
import type { Style } from "../../output/style.ts"
import { duration } from "../../output/time.ts"

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
    print: describe,
    failed: ({ attempt }) => attempt.error !== null,
  })
}

function describe({ delivery, attempt }: TestDelivery, style: Style): string {
  const { status, error, detail, ip, response_excerpt } = attempt
  return block(style, [
    ["delivery", delivery],
    ["outcome", style.state(error === null ? "delivered" : "failed")],
    ["status", status === null ? null : String(status)],
    ["error", error],
    ["detail", detail],
    ["duration", duration(attempt.duration_ms)],
    ["ip", ip],
    ["secret id", attempt.secret_id],
    ["response", response_excerpt],
  ])
}
