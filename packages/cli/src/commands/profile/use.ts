import type { CliCommand } from "../../command.ts"
import { block } from "../../output/block.ts"
import { findProfile, readProfiles, writeProfiles } from "../../profile/profiles.ts"
import { profileEntries } from "./profileEntries.ts"
import { shownProfile, shownProfileSchema } from "./profileSchema.ts"

export const useProfile: CliCommand = {
  name: "use",
  description: "use this profile in commands for which nothing else is configured",
  arguments: [["<name>", "the profile's name"]],
  examples: ["sitewire profile use production"],
  json: shownProfileSchema,
  async run({ env, print }, [name]: [string]) {
    findProfile(env, name)
    const profiles = { ...readProfiles(env), current: name }
    writeProfiles(env, profiles)
    print(shownProfile(profiles, name), (shown, style) => block(style, profileEntries(shown)))
  },
}
