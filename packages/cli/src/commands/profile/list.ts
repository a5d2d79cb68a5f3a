import { z } from "zod"
import type { CliCommand } from "../../command.ts"
import { table } from "../../output/table.ts"
import { readProfiles } from "../../profile/profiles.ts"
import { shownProfile, shownProfileSchema } from "./profileSchema.ts"

export const listProfiles: CliCommand = {
  name: "list",
  description: "list the profiles, without their keys",
  examples: ["sitewire profile list"],
  json: z.object({ data: z.array(shownProfileSchema) }),
  async run({ env, print }) {
    const profiles = readProfiles(env)
    const data = Object.keys(profiles.profiles).map((name) => shownProfile(profiles, name))
    print({ data }, (shown, style) =>
      shown.data.length === 0
        ? "No profiles. Add one: sitewire profile add NAME --api URL"
        : table(style, shown.data, [
            { title: "", cell: ({ in_use }) => (in_use ? "*" : "") },
            { title: "NAME", cell: ({ name }) => name, whole: true },
            { title: "API", cell: ({ api }) => api },
            { title: "KAFKA", cell: ({ kafka }) => kafka ?? "" },
            { title: "TOPIC PREFIX", cell: ({ topic_prefix }) => topic_prefix ?? "" },
          ]),
    )
  },
}
