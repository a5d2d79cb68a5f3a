/** Options override the environment, and the environment overrides the local stack's file. */
export type TargetSources = {
  options: { api?: string; kafka?: string; topicPrefix?: string }
  env: NodeJS.ProcessEnv
  cwd: string
}

export function nonEmpty(value: string | undefined): string | undefined {
  return value === "" ? undefined : value
}
