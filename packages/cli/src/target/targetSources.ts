import { findProfile, type Profile } from "../profile/profiles.ts"

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
