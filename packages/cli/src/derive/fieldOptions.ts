import { Option } from "commander"
import { z } from "zod"
import { parseCount } from "../options/pageOptions.ts"
import { parseFutureTime, parseTime } from "../options/parseTime.ts"
import { readRequestHeaders, requestHeaderOption } from "../options/requestHeaderOptions.ts"
import type { Session } from "../session/createSession.ts"

/** Fields whose option has another name. */
const names: Record<string, string> = {
  q: "search",
  event_id: "event",
  site_url: "site",
  scopes: "scope",
  expires_at: "expires",
  request_headers: "header-env",
}

const values: Record<string, string> = {
  ...{ error: "class", waiting_for: "what" },
  ...{ address: "url", source: "url", site_url: "url", site: "host", contact: "email", scopes: "scope..." },
  ...{ name: "text", note: "text", operation: "name", q: "text", reason: "text", event: "text" },
}

/** The option of a field of a request, such as `--max-per-second`. */
export function nameOfOption(field: string): string {
  const name = names[field] ?? field.replace(/^(created|rejected|started)_(?=after|before)/, "")
  return `--${name.replaceAll("_", "-")}`
}

/** The options of a query's or a body's fields, and what they say. */
export function fieldsOf(schema: z.ZodType | undefined, texts: Record<string, string | false> = {}) {
  const object = schema instanceof z.ZodOptional ? schema.unwrap() : schema
  const shape: Record<string, z.ZodType> = object instanceof z.ZodObject ? object.shape : {}
  const fields = Object.entries(shape).flatMap(([field, type]) => {
    const text = texts[field]
    if (["cursor", "limit", "request_headers"].includes(field) || text === false) return []
    return [{ field, type, option: fieldOption(field, type, text) }]
  })
  const hasHeaders = "request_headers" in shape
  return {
    shape,
    options: [...fields.map(({ option }) => option), ...(hasHeaders ? [requestHeaderOption] : [])],
    read(session: Session, given: Record<string, unknown>): Record<string, unknown> {
      const read = fields.flatMap(({ field, type, option }) => {
        const value = given[option.attributeName()]
        return value === undefined ? [] : [[field, valueFrom(value, type)]]
      })
      return { ...Object.fromEntries(read), ...(hasHeaders && readRequestHeaders(session, given)) }
    },
  }
}

/** Its description is the field's first sentence, or `text`. Its values are those that the schema accepts. */
function fieldOption(field: string, schema: z.ZodType, text?: string): Option {
  const { type, values: choices } = innermost(schema)
  const described = text ?? describe(schema)
  const long = nameOfOption(field)
  if (type === "pipe" && !isTime(field)) return new Option(long, described)
  const value = placeholderOf(field, type, choices)
  const required = !schema.safeParse(undefined).success
  const option = new Option(`${long} <${value}>`, required ? `${described} (required)` : described)
  if (required) option.makeOptionMandatory()
  if (type === "boolean") return option.choices(["on", "off"])
  if (choices) return option.choices(choices)
  const parse = parserOf(field, type)
  const isNullable = schema.safeParse(null).success
  if (isNullable)
    return option.argParser((given: string) => (given === "none" ? null : (parse?.(given) ?? given)))
  return parse ? option.argParser(parse) : option
}

/** The value of a field from that of its option. */
function valueFrom(given: unknown, schema: z.ZodType): unknown {
  return innermost(schema).type === "boolean" ? given === "on" : given
}

const isTime = (field: string) => /_(at|after|before)$/.test(field)

function placeholderOf(field: string, type: string, choices: readonly string[] | undefined): string {
  if (choices) return values[field] ?? field.split("_").at(-1) ?? field
  if (type === "boolean") return "switch"
  if (type === "number") return "n"
  return isTime(field) ? "time" : (values[field] ?? "id")
}

function parserOf(field: string, type: string): ((text: string) => unknown) | undefined {
  if (type === "number") return parseCount
  if (field === "expires_at") return parseFutureTime
  return isTime(field) ? parseTime : undefined
}

/** Without what makes it optional or nullable, or gives a default. */
function innermost(schema: z.ZodType): { type: string; values?: readonly string[] } {
  if (isWrapped(schema)) return innermost(schema.unwrap() as z.ZodType)
  return schema instanceof z.ZodEnum
    ? { type: "enum", values: schema.options.map(String) }
    : { type: schema.type }
}

function descriptionOf(schema: z.ZodType): string {
  const { description } = schema
  if (description !== undefined) return description
  return isWrapped(schema) ? descriptionOf(schema.unwrap() as z.ZodType) : ""
}

function isWrapped(schema: z.ZodType) {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault
}

/** `The most attempts per second. null: no maximum.` becomes `the most attempts per second; "none": no maximum`. */
function describe(schema: z.ZodType): string {
  const text = descriptionOf(schema)
  const sentences = text
    .replace(/^true: /, "")
    .replaceAll("`", "")
    .split(/\.(?: |$)/)
  const none = sentences.find((sentence) => sentence.startsWith("null: "))
  const initial = sentences.find((sentence) => sentence.startsWith("Default"))
  return [
    lowerFirst(sentences[0] ?? ""),
    none && `; "none": ${none.slice("null: ".length)}`,
    initial && ` (${lowerFirst(initial).replace(": true", ": on")})`,
  ].join("")
}

/** Not of an abbreviation, such as API. */
function lowerFirst(text: string): string {
  return /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text
}
