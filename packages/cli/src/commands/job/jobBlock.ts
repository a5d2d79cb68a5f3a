import type { Job } from "@sitewire/contracts"
import { block, type Entry } from "../../output/block.ts"
import type { Style } from "../../output/style.ts"
import { localTime } from "../../output/time.ts"
import { exceptionTable } from "./exceptionTable.ts"

export function jobBlock(job: Job, style: Style): string {
  const filter = Object.entries(job.filter).map(([name, value]) => `${name} ${value}`)
  const remains = (job.remains ?? []).map(
    ({ topic, last_deleted_at }): Entry => [`remains in ${topic}`, `until ${localTime(last_deleted_at)}`],
  )
  const described = block(style, [
    ["id", job.id],
    ["kind", job.kind],
    ["state", job.state],
    ["filter", filter.length > 0 ? filter.join(", ") : "all"],
    ["rate", job.per_second === null ? null : `at most ${job.per_second} per second`],
    ["progress", progressText(job) || "none yet"],
    ["reason", job.reason],
    ["requested by", job.requested_by],
    ["created", style.time(job.created_at)],
    ["finished", job.finished_at && style.time(job.finished_at)],
    ...remains,
  ])
  const { exceptions } = job
  if (exceptions === null || exceptions.length === 0) return described
  return `${described}\n\n${exceptionTable(exceptions, style)}`
}

/** `resent 35, left out 4` */
export function progressText({ counts }: Job): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name.replaceAll("_", " ")} ${count}`)
    .join(", ")
}
