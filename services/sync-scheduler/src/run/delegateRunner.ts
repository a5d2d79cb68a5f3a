import type { Egress, Outcome } from "@sitewire/egress"
import { traceHeaders } from "@sitewire/runtime"
import { sign, signatureHeader } from "@sitewire/signing/sender"
import type { GrantedRun, SyncResult } from "@sitewire/syncs"
import { z } from "zod"
import type { OpenCredentials, Runner } from "./runner.ts"

export type DelegateRunnerOptions = {
  egress: Egress
  openCredentials: OpenCredentials
  deadlineMs: number
  serviceName: string
}

/** The body of an executor's response. Any other counts as `changed`. */
const responseSchema = z.object({ changed: z.boolean() })

const bodyWaitMs = 1_000

/** Asks the executor at the connection's source address to sync, and waits for its 2xx response. */
export function createDelegateRunner({
  egress,
  openCredentials,
  deadlineMs,
  serviceName,
}: DelegateRunnerOptions): Runner {
  return async function delegate(run, mayStart, signal, traceparent = null) {
    const opened = openCredentials(run)
    if (opened.kind === "failed") return { result: opened.result, storingMs: 0 }
    const body = Buffer.from(JSON.stringify(describeRun(run)))
    const outcome = await egress.request({
      method: "POST",
      url: run.source,
      headers: {
        ...opened.credentials.requestHeaders,
        "content-type": "application/json",
        [signatureHeader(serviceName)]: sign(body, opened.credentials.signingSecret),
        // Executors belong to the operator. Other sources get no traceparent.
        ...traceHeaders(traceparent).headers,
      },
      body,
      timeoutMs: deadlineMs,
      beforeWrite: mayStart,
      signal,
    })
    return { result: await readResult(outcome), storingMs: 0 }
  }
}

/** An executor must discard the results of a run if it has received a higher `fence` since. */
function describeRun(run: GrantedRun) {
  return {
    connection: run.connection,
    fence: run.fence,
    window_started_at: run.startedAt.toISOString(),
    triggers: run.triggers,
    first_trigger_at: run.firstTriggerAt?.toISOString() ?? null,
    last_trigger_at: run.lastTriggerAt?.toISOString() ?? null,
    correlation: run.correlation,
  }
}

async function readResult(outcome: Outcome): Promise<SyncResult> {
  if (outcome.kind === "aborted") return { outcome: "abandoned", error: "stopped" }
  if (outcome.kind === "failed") return { outcome: "failed", error: outcome.error, detail: outcome.message }
  const { status } = outcome
  if (status < 200 || status > 299) {
    return {
      outcome: "failed",
      error: "status",
      status,
      detail: `the executor responded with status ${status}`,
    }
  }
  const changed = readChanged(await outcome.excerpt.within(bodyWaitMs))
  return { outcome: changed ? "changed" : "unchanged", content: null }
}

function readChanged(body: Buffer): boolean {
  try {
    return responseSchema.parse(JSON.parse(body.toString("utf8"))).changed
  } catch {
    return true
  }
}
