import type { Connection, Delivery, Job, ListedChannel, Sync } from "@sitewire/contracts"
import { formatCounted } from "../format.ts"
import { connectionStates, type deadReasons, deliveryStates, syncOutcomes } from "../words.ts"
import { type Kind, State } from "./State.tsx"

const jobStates = { running: "Running", done: "Done", cancelled: "Cancelled" } as const

const deliveryKinds: Record<Delivery["state"], Kind> = {
  pending: "busy",
  delivered: "good",
  dead: "bad",
  cancelled: "idle",
  erased: "idle",
}

export function DeliveryState({ state, waiting }: { state: Delivery["state"]; waiting?: string | null }) {
  const retries = state === "pending" && waiting !== null && waiting !== undefined
  return <State kind={retries ? "warn" : deliveryKinds[state]}>{deliveryStates[state]}</State>
}

/** A channel with dead deliveries is not healthy, even if it does not fail now. */
export function ChannelHealth({ health, dead }: Pick<ListedChannel, "health" | "dead">) {
  return (
    <>
      {health === "failing" && <State kind="bad">Failing</State>}
      {dead.count > 0 && <State kind="bad">{`${formatCounted(dead.count)} dead`}</State>}
      {health === "ok" && dead.count === 0 && <State kind="good">Healthy</State>}
    </>
  )
}

const connectionKinds: Record<Connection["state"], Kind> = {
  idle: "good",
  waiting: "busy",
  running: "busy",
  failing: "bad",
}

export function ConnectionState({ state }: { state: Connection["state"] }) {
  return <State kind={connectionKinds[state]}>{connectionStates[state]}</State>
}

const syncKinds: Record<Sync["outcome"], Kind> = {
  running: "busy",
  changed: "good",
  unchanged: "idle",
  failed: "bad",
  abandoned: "warn",
}

export function SyncOutcome({ outcome }: { outcome: Sync["outcome"] }) {
  return <State kind={syncKinds[outcome]}>{syncOutcomes[outcome]}</State>
}

const jobKinds: Record<Job["state"], Kind> = { running: "busy", done: "good", cancelled: "idle" }

export function JobState({ state }: { state: Job["state"] }) {
  return <State kind={jobKinds[state]}>{jobStates[state]}</State>
}

/** Why a dead delivery is dead. */
export function whyDead({
  dead_reason,
  attempts,
}: Pick<Delivery, "dead_reason" | "attempts">): keyof typeof deadReasons {
  if (dead_reason !== null) return "deleted"
  return attempts === 0 ? "notAttempted" : "period"
}
