import { findProfile, type Profile } from "../profile/profiles.ts"
import { localStackFile } from "./localStack.ts"

/**
 * Options override the selected profile (--profile, SITEWIRE_PROFILE), which overrides the environment, which
 * overrides the profile in use (`sitewire profile use`), which overrides the local stack's file: what the user has chosen
 * comes before what the current folder contains.
 */
export type TargetSources = {
  options: { api?: string; kafka?: string; topicPrefix?: string; profile?: string }
  env: NodeJS.ProcessEnv
  cwd: string
}

export function nonEmpty(value: string | undefined): string | undefined {
  return value === "" ? undefined : value
}

export function selectedProfile({ options, env }: TargetSources): Profile | null {
  const name = options.profile ?? nonEmpty(env.SITEWIRE_PROFILE)
  return name === undefined ? null : findProfile(env, name)
}

/** What to do if an address does not respond. `local`: the address is from the local stack's file. */
export function unreachableAdvice(local: boolean): string {
  return local
    ? `The address is from ${localStackFile}, so the local stack has probably stopped: run npm start.`
    : "Check the address and that the server runs. To run everything on this machine: npm start."
}

export function missingAdvice(what: string, setting: string): string {
  return (
    `The address of ${what} is not configured: there is no ${localStackFile} in this folder or its parents. ` +
    `Start the local stack (npm start), or give ${setting}.`
  )
}
