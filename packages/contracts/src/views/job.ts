import type { Job } from "../api/jobs.ts"
import { fields } from "./view.ts"

export const jobView = {
  columns: fields<Job>("id", "kind", "state", ["progress", { value: progressText }], "created_at", "reason"),
}

/** `resent 35, left out 4` */
export function progressText({ counts }: Pick<Job, "counts">): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name.replaceAll("_", " ")} ${count}`)
    .join(", ")
}
