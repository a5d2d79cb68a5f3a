import { Option } from "commander"
import { z } from "zod"
import type { CliCommand } from "../../command.ts"
import { describeNetworkError } from "../../errors/describeNetworkError.ts"
import { exitCodes } from "../../errors/exitCodes.ts"
import { escapeControls } from "../../output/escapeControls.ts"
import type { Style } from "../../output/style.ts"
import type { Session } from "../../session/createSession.ts"
import { usesLocalStack } from "../../target/findApi.ts"
import { findLocalStack } from "../../target/localStack.ts"
import { type Check, checkSchema, fault, ok, warning } from "./check.ts"
import { checkApi } from "./checkApi.ts"
import { checkDatabase } from "./checkDatabase.ts"
import { checkKafka } from "./checkKafka.ts"

export const doctor: CliCommand = {
  name: "doctor",
  description: "check the configuration, the API, Kafka, Postgres, keys and clocks, and say what to do",
  options: [
    new Option("--topic-prefix <prefix>", "the prefix of the topics' names (TOPIC_PREFIX)"),
    new Option("--broker-clock", "measure the broker's clock, too: creates a topic and deletes it"),
  ],
  notes:
    "To check everything, set TOPIC_PREFIX, RETRY_DELAYS, RETRY_PERIOD, SYNC_WINDOW, DELIVERY_TIMEOUT and SEALING_KEYS as for the\n" +
    "services, and KAFKA_BROKERS, DATABASE_URL and the accounts as for the setup job: others may not read topics' settings and\n" +
    "the list of migrations.\n" +
    "What is not set is not checked, and the output says so. Changes nothing, except with --broker-clock.\n" +
    `The exit code is ${exitCodes.failed} if there is a fault.`,
  examples: ["sitewire doctor", "sitewire doctor --profile production", "sitewire doctor --json"],
  json: z.object({ ok: z.boolean(), checks: z.array(checkSchema) }),
  async run(session, _, { brokerClock = false }: { brokerClock?: boolean }) {
    const groups = await Promise.all([
      checkApi(session),
      checkServices(session),
      checkKafka(session, { brokerClock }),
      checkDatabase(session),
    ])
    const { contractDepartures } = await import("@sitewire/runtime/config")
    const departures = contractDepartures(session.env).map(({ variable, contract }) =>
      warning(variable, `it departs from the contract with partners: ${contract}`, "Use the default."),
    )
    const checks = [...groups.flat(), ...departures]
    const healthy = checks.every(({ state }) => state !== "fault")
    session.print({ ok: healthy, checks }, describe)
    if (!healthy) session.outcome.exitCode = exitCodes.failed
  },
}

function describe({ ok, checks }: { ok: boolean; checks: Check[] }, style: Style): string {
  const width = Math.max(...checks.map(({ state }) => label(state).length))
  const lines = checks.flatMap(({ name, state, detail, advice }) => {
    const begin = style.paint(colours[state], label(state))
    const space = " ".repeat(width - label(state).length + 2)
    const first = `${begin}${space}${name}: ${escapeControls(detail)}`
    return advice === null ? [first] : [first, `${" ".repeat(width + 2)}→ ${escapeControls(advice)}`]
  })
  const faults = checks.filter(({ state }) => state === "fault").length
  const skipped = checks.filter(({ state }) => state === "not_checked").length
  const summary = ok ? "No faults." : faults === 1 ? "One fault." : `${faults} faults.`
  return [...lines, "", skipped === 0 ? summary : `${summary} Not everything was checked.`].join("\n")
}

const colours = { ok: "green", warning: "yellow", fault: "red", not_checked: "dim" } as const

function label(state: Check["state"]): string {
  return state.replace("_", " ")
}

/** Whether the services of the local stack are ready. Those of others are checked by what runs them. */
async function checkServices(session: Session): Promise<Check[]> {
  if (!usesLocalStack(session)) return []
  const stack = findLocalStack(session.cwd)?.stack
  return Promise.all(Object.entries(stack?.ops ?? {}).map(([name, url]) => checkService(name, url)))
}

async function checkService(name: string, url: string): Promise<Check> {
  const advice = "Restart the local stack: npm start."
  try {
    const response = await fetch(new URL("/readyz", url), { signal: AbortSignal.timeout(3_000) })
    if (response.ok) return ok(name, "is ready")
    return fault(name, `is not ready: ${(await response.text()).trim().slice(0, 500)}`, advice)
  } catch (error) {
    return fault(name, `does not respond: ${describeNetworkError(error)}`, advice)
  }
}
