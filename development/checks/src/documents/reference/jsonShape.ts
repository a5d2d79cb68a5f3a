import { z } from "zod"

/** A type in TypeScript's notation, and the named types in it. */
export type JsonShape = { text: string; types: ReadonlyMap<string, string> }

type Node = {
  $ref?: string
  type?: string | readonly string[]
  enum?: readonly unknown[]
  const?: unknown
  anyOf?: readonly Node[]
  items?: Node
  properties?: Record<string, Node>
  required?: readonly string[]
  additionalProperties?: Node | boolean
}

/** Describes what a schema accepts. Schemas with an id become named types. */
export function jsonShape(schema: z.ZodType): JsonShape {
  const json = z.toJSONSchema(z.object({ root: schema }), { io: "output", unrepresentable: "any" })
  const root = json.properties?.root as Node
  const definitions = Object.entries((json.$defs ?? {}) as Record<string, Node>)
  const types = definitions.map(([name, node]) => [name, write(node, "")] as const)
  return { text: write(root, ""), types: new Map(types) }
}

function write(node: Node, indent: string): string {
  if (node.$ref !== undefined) return node.$ref.replace("#/$defs/", "")
  if (node.anyOf) return node.anyOf.map((option) => write(option, indent)).join(" | ")
  if (node.const !== undefined) return JSON.stringify(node.const)
  if (node.enum) return node.enum.map((value) => JSON.stringify(value)).join(" | ")
  if (Array.isArray(node.type)) return node.type.map((type) => write({ ...node, type }, indent)).join(" | ")
  if (node.type === "array") return list(write(node.items ?? {}, indent))
  if (node.type === "object") return object(node, indent)
  return node.type === "integer" ? "number" : String(node.type ?? "unknown")
}

function list(item: string): string {
  return item.includes(" | ") ? `(${item})[]` : `${item}[]`
}

function object({ properties, required = [], additionalProperties }: Node, indent: string): string {
  if (properties === undefined) {
    const values = typeof additionalProperties === "object" ? write(additionalProperties, indent) : "unknown"
    return `Record<string, ${values}>`
  }
  const inner = `${indent}  `
  const fields = Object.entries(properties).map(
    ([name, node]) => `${name}${required.includes(name) ? "" : "?"}: ${write(node, inner)}`,
  )
  const line = `{ ${fields.join(", ")} }`
  if (!line.includes("\n") && line.length + indent.length <= 90) return line
  return `{\n${fields.map((field) => `${inner}${field}\n`).join("")}${indent}}`
}
