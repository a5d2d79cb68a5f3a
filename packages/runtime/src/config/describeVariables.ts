import type { z } from "zod"
import type { Variables } from "./config.ts"

export type VariableDescription = {
  name: string
  description: string
  fallback: string | null
  required: boolean
  /** A credential, which belongs in a secret store and not in a manifest. */
  secret: boolean
}

export function describeVariables(variables: Variables): VariableDescription[] {
  return Object.entries(variables).map(([name, schema]) => {
    const layers = unwrap(schema)
    const meta = Object.assign({}, ...layers.toReversed().map((layer) => layer.meta() ?? {}))
    const fallback = layers.map(fallbackOf).find((text) => text !== undefined) ?? null
    return {
      name,
      description: String(meta.description ?? ""),
      fallback,
      required: fallback === null && !schema.safeParse(undefined).success,
      secret: meta.secret === true,
    }
  })
}

type Layer = z.ZodType & {
  def: { innerType?: z.ZodType; in?: z.ZodType; defaultValue?: unknown; type: string }
}

/**
 * Returns a schema and those that it wraps, the outermost first. The description may be at an inner one,
 * because defaults, pipes and transforms wrap a schema.
 */
function unwrap(schema: z.ZodType): Layer[] {
  const layer = schema as Layer
  const inner = layer.def.innerType ?? layer.def.in
  return inner ? [layer, ...unwrap(inner)] : [layer]
}

function fallbackOf({ def }: Layer): string | undefined {
  return def.type === "default" || def.type === "prefault" ? String(def.defaultValue) : undefined
}

export function formatHelp(name: string, variables: Variables): string {
  const lines = describeVariables(variables).map(({ name: variable, description, fallback, required }) => {
    const value = required ? "required" : fallback ? `default ${fallback}` : "optional"
    return `  ${variable} (${value})\n      ${description}\n`
  })
  return `${name} is configured by its environment:\n\n${lines.join("")}`
}
