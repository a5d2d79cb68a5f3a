import type { z } from "zod"

/**
 * Environment variables by name. `.describe(description)` describes a variable; `secret: true` marks
 * credentials.
 */
export type Variables = Record<string, z.ZodType>

export type Config<V extends Variables> = { [Name in keyof V]: z.output<V[Name]> }

/** The message names every invalid variable, but contains no values, because values may be secrets. */
export class ConfigurationError extends Error {
  override name = "ConfigurationError"
}

/** An empty or blank value counts as not set, because many tools set empty values. */
export function readConfig<V extends Variables>(
  variables: V,
  env: Record<string, string | undefined>,
): Config<V> {
  const values: Record<string, unknown> = {}
  const faults: string[] = []
  for (const [name, schema] of Object.entries(variables)) {
    const value = env[name]?.trim() === "" ? undefined : env[name]
    const parsed = schema.safeParse(value)
    if (parsed.success) values[name] = parsed.data
    else faults.push(`  ${name}: ${describeFault(value, parsed.error)}`)
  }
  if (faults.length === 0) return values as Config<V>
  const count = faults.length === 1 ? "a variable is" : `${faults.length} variables are`
  throw new ConfigurationError(`The configuration is wrong: ${count} invalid.\n${faults.join("\n")}`)
}

function describeFault(value: string | undefined, error: z.ZodError): string {
  if (value === undefined) return "is not set and has no default"
  return error.issues.map((issue) => issue.message).join("; ")
}
