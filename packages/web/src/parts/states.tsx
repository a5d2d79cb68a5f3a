import type { Connection, Delivery, Job, ListedChannel, Sync } from "@sitewire/contracts"
import { formatCounted } from "../format.ts"
import { texts } from "../texts.ts"
import { type Kind, State } from "./State.tsx"

const t = texts.states

const deliveryKinds: Record<Delivery["state"], Kind> = {
  pending: "busy",
  delivered: "good",
  dead: "bad",
  cancelled: "idle",
  erased: "idle",
}

export function DeliveryState({ state, waiting }: { state: Delivery["state"]; waiting?: string | null }) {
  const retries = state === "pending" && waiting !== null && waiting !== undefined
  return <State kind={retries ? "warn" : deliveryKinds[state]}>{t.delivery[state]}</State>
}

/** A channel with dead deliveries is not healthy, even if it does not fail now. */
export function ChannelHealth({ health, dead }: Pick<ListedChannel, "health" | "dead">) {
  return (
    <>
      {health === "failing" && <State kind="bad">{texts.channels.failing}</State>}
      {dead.count > 0 && <State kind="bad">{texts.channels.dead(formatCounted(dead.count))}</State>}
      {health === "ok" && dead.count === 0 && <State kind="good">{texts.channels.ok}</State>}
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
  return <State kind={connectionKinds[state]}>{t.connection[state]}</State>
}

const syncKinds: Record<Sync["outcome"], Kind> = {
  running: "busy",
  changed: "good",
  unchanged: "idle",
  failed: "bad",
  abandoned: "warn",
}

export function SyncOutcome({ outcome }: { outcome: Sync["outcome"] }) {
  return <State kind={syncKinds[outcome]}>{t.sync[outcome]}</State>
}

const jobKinds: Record<Job["state"], Kind> = { running: "busy", done: "good", cancelled: "idle" }

export function JobState({ state }: { state: Job["state"] }) {
  return <State kind={jobKinds[state]}>{t.job[state]}</State>
}
