import type { CliCommand } from "../../command.ts"
import { type ConfirmOptions, confirmOption } from "../../options/confirmOption.ts"
import { findProfile, readProfiles, writeProfiles } from "../../profile/profiles.ts"
import { shownProfile, shownProfileSchema } from "./profileSchema.ts"

export const removeProfile: CliCommand = {
  name: "remove",
  description: "delete a profile and its key from this machine; the key itself stays valid",
  arguments: [["<name>", "the profile's name"]],
  options: [confirmOption],
  examples: ["sitewire profile remove staging"],
  json: shownProfileSchema,
  async run({ confirm, env, note, print }, [name]: [string], options: ConfirmOptions) {
    const { api } = findProfile(env, name)
    await confirm(
      options,
      () => `Delete the profile ${name} of ${api} and its key, which cannot be read again?`,
    )
    const profiles = readProfiles(env)
    const { [name]: _, ...others } = profiles.profiles
    const removed = shownProfile(profiles, name)
    writeProfiles(env, { current: profiles.current === name ? null : profiles.current, profiles: others })
    print(removed, (shown) => `The profile ${shown.name} is deleted.`)
    note("The installation still accepts its key. To change that: sitewire key revoke KEY")
  },
}
