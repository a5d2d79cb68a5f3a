/** Where addresses and credentials are configured. Options override the environment, which overrides the local stack. */
export type TargetSources = {
  options: { api?: string; kafka?: string; topicPrefix?: string }
  env: NodeJS.ProcessEnv
  cwd: string
}

/** Treats an empty variable as if it were not set. */
export function nonEmpty(value: string | undefined): string | undefined {
  return value === "" ? undefined : value
}
