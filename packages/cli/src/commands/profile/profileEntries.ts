import type { Entry } from "../../output/block.ts"
import type { ShownProfile } from "./profileSchema.ts"

export function profileEntries(profile: ShownProfile): Entry[] {
  return [
    ["profile", profile.name],
    ["api", profile.api],
    ["kafka", profile.kafka],
    ["topic prefix", profile.topic_prefix],
    ["in use", profile.in_use ? "yes" : "no"],
  ]
}
