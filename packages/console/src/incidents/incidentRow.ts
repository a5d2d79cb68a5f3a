import type { Incident, IncidentKind } from "@sitewire/contracts"
import type { Prisma } from "@sitewire/database/prisma"

export const incidentColumns =
  "id, kind, subject_id, details, max_count, since, created_at, resolved_at, acknowledged_at, acknowledged_by, note"

export type IncidentRow = Omit<
  Prisma.IncidentModel,
  keyof Pick<Incident, "kind" | "details"> | "seen_at" | "closed_at" | "mailed"
> &
  Pick<Incident, "kind" | "details">

/** So many incidents of a kind are open at a time. Those beyond are one incident together. */
export const mostOpen = 100
/** The subject of that one. No channel, host or topic has this id. */
export const others = "*"

export type Found = { subject_id: string; since: Date; details: Incident["details"] }

/** What exists now, by kind. A kind that is missing could not be read: its incidents stay as they are. */
export type FoundNow = ReadonlyMap<IncidentKind, Found[]>
