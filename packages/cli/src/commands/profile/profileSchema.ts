import { z } from "zod"
import type { Profiles } from "../../profile/profiles.ts"

export const shownProfileSchema = z
  .object({
    name: z.string(),
    api: z.string(),
    kafka: z.string().nullable(),
    topic_prefix: z.string().nullable(),
    in_use: z.boolean(),
  })
  .meta({ id: "Profile" })

export type ShownProfile = z.infer<typeof shownProfileSchema>

/** Without the key, which no command prints. */
export function shownProfile({ current, profiles }: Profiles, name: string): ShownProfile {
  const { api = "", kafka = null, topic_prefix = null } = profiles[name] ?? {}
  return { name, api, kafka, topic_prefix, in_use: name === current }
}
