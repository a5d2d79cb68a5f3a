import { setTimeout as sleep } from "node:timers/promises"
import { claimableMs, testDeliverySchema } from "@sitewire/contracts"
import { z } from "zod"
import { type Caller, nameOf } from "../../auth/caller.ts"
import { idTaken, notFound, problem } from "../../http/problems.ts"
import { ok, type Problem, type Success } from "../../http/response.ts"
import { newId } from "../../newIds.ts"
import { checkChannelAddress } from "../checkAddress.ts"
import { type ApiContext, implement } from "../implement.ts"
import { lockChannel } from "./channelResponse.ts"
import { rotationConflict } from "./rotateSecret.ts"

export const testChannel = implement(
  "testChannel",
  (context, { params: { id }, body, caller }) =>
    requestTest(context, {
      id,
      kind: "test",
      caller,
      address: body?.address,
      isNew: body?.new_channel ?? false,
    }),
  ({ prisma }, committed) => testResult(prisma, committed),
)

export const testSecret = implement(
  "testSecret",
  (context, { params: { id }, caller }) =>
    requestTest(context, { id, kind: "secret_test", caller, isNew: false }),
  ({ prisma }, committed) => testResult(prisma, committed),
)

type Test = {
  id: string
  kind: "test" | "secret_test"
  caller: Caller
  /** Instead of the channel's own. */
  address?: string | undefined
  isNew: boolean
}

async function requestTest(
  context: ApiContext,
  { id, kind, caller, address, isNew }: Test,
): Promise<Success<{ check: string }> | Problem> {
  const { prisma } = context
  const channel = await lockChannel(prisma, id, caller)
  const tested = address ?? channel?.address
  const testsNew = isNew && caller.channels === "all"
  if (tested === undefined || !(channel || testsNew)) return notFound("channel", id)
  if (channel && testsNew) return idTaken("channel", id)
  if (address !== undefined && caller.channels !== "all")
    return problem("missing-scope", "Only an operator may test an address that is not the channel's.")
  const checked =
    address === undefined
      ? { kind: "ok" as const, href: tested }
      : checkChannelAddress(context, address, channel?.partner_may_change_address ?? false)
  if (checked.kind === "problem") return checked
  const conflict = kind === "secret_test" && channel && rotationConflict(channel, "test")
  if (conflict) return conflict
  const requestedBy = nameOf(caller)
  const running = await checkRunning(
    prisma,
    channel ? { channel_id: id } : { channel_id: null, requested_by: requestedBy },
    kind,
  )
  if (running) return running
  const check = await prisma.receiverCheck.create({
    data: {
      id: newId("tst"),
      channel_id: channel?.id ?? null,
      kind,
      address: checked.href,
      requested_by: requestedBy,
    },
    select: { id: true },
  })
  const changes = {
    test: { old: null, new: check.id },
    ...(address ? { address: { old: null, new: checked.href } } : {}),
  }
  return ok({ check: check.id }, { audit: { target: { kind: "channel", id }, changes } })
}

async function testResult(prisma: ApiContext["prisma"], committed: unknown) {
  const ended = await waitForCheck(prisma, committedSchema.parse(committed).check)
  return ended.kind === "problem" ? ended : ok(testDeliverySchema.parse(ended.report))
}

const committedSchema = z.object({ check: z.string() })

const names = {
  test: "test delivery",
  secret_test: "test of the secret",
  address_change: "change of the address",
}

/**
 * A problem if a check of this kind has not finished. A channel has one at a time, and whoever tests addresses of new channels,
 * so that a receiver that does not respond cannot occupy the dispatchers. Call it with the channel locked.
 */
export async function checkRunning(
  prisma: ApiContext["prisma"],
  of: { channel_id: string } | { channel_id: null; requested_by: string },
  kind: keyof typeof names,
): Promise<Problem | null> {
  const now = Date.now()
  const unfinished = await prisma.receiverCheck.findFirst({
    where: {
      ...of,
      kind,
      finished_at: null,
      OR: [{ created_at: { gt: new Date(now - claimableMs) } }, { lease_expires_at: { gt: new Date(now) } }],
    },
    select: { id: true },
  })
  if (!unfinished) return null
  return problem(
    "check-running",
    `The ${names[kind]} "${unfinished.id}" has not finished. Wait until it has, and try again.`,
  )
}

const claimWithinMs = 5_000
const finishWithinMs = 15_000
const pollMs = 50

type Ended = { kind: "done"; address: string; report: unknown; finished_at: Date }

/** By the check's id. Repetitions of a request wait together, so that they do not multiply the polls. */
const waits = new Map<string, Promise<Ended | Problem>>()

/** Waits until a dispatcher has sent the one request of a test delivery or of a challenge. */
export function waitForCheck(prisma: ApiContext["prisma"], id: string): Promise<Ended | Problem> {
  const wait = waits.get(id) ?? poll(prisma, id).finally(() => waits.delete(id))
  waits.set(id, wait)
  return wait
}

async function poll(prisma: ApiContext["prisma"], id: string): Promise<Ended | Problem> {
  const startedAt = performance.now()
  for (;;) {
    const row = await prisma.receiverCheck.findUnique({
      where: { id },
      select: { state: true, claims: true, address: true, report: true, error: true, finished_at: true },
    })
    if (row === null) return problem("test-unfinished", "The channel was deleted, and its test with it.")
    const { state, claims, address, report, error, finished_at } = row
    if (state === "done" && finished_at) return { kind: "done", address, report, finished_at }
    if (state === "failed") return problem(claims === 0 ? "test-not-sent" : "test-unfinished", error ?? "")
    const waitedMs = performance.now() - startedAt
    if (state === "waiting" && waitedMs > claimWithinMs) {
      // Only if it still waits, so that a dispatcher that claims it right now can finish it.
      await prisma.receiverCheck.updateMany({
        where: { id, state: "waiting" },
        data: { state: "failed", error: notClaimed, finished_at: new Date() },
      })
    } else if (waitedMs > finishWithinMs) {
      return problem("test-unfinished", unfinished)
    }
    await sleep(pollMs)
  }
}

const notClaimed = "The test delivery was not begun within 5 seconds, so nothing was sent. Try again."

const unfinished = "The test delivery was begun, but has no outcome after 15 seconds. Try again."
