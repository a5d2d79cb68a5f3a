import { type TestDelivery, testDeliverySchema } from "@sitewire/contracts"
import type { CliCommand } from "../../command.ts"
import { exitCodes } from "../../errors/exitCodes.ts"
import { block } from "../../output/block.ts"
import type { Style } from "../../output/style.ts"
import { duration } from "../../output/time.ts"

function testCommand(method: "testChannel" | "testSecret", words: string, description: string): CliCommand {
  return {
    name: "test",
    description,
    arguments: [["<channel>", "the channel's id"]],
    notes:
      "The delivery is marked: its reference is sitewire-test, and its header X-Sitewire-Test is true.\n" +
      `The exit code is ${exitCodes.failed} if the receiver did not accept it.`,
    examples: [`sitewire ${words} acme`],
    json: testDeliverySchema,
    async run({ callApi, print, outcome }, [id]: [string]) {
      const test = await callApi((client) => client[method]({ id }, { timeoutMs: 30_000 }))
      print(test, describe)
      if (test.attempt.error !== null) outcome.exitCode = exitCodes.failed
    },
  }
}

export const testChannel = testCommand(
  "testChannel",
  "channel test",
  "send one delivery with fictional data, and show what came back",
)

export const testSecret = testCommand(
  "testSecret",
  "channel secret test",
  "send a test delivery that is signed only by the secret that is not active",
)

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
