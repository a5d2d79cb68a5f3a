import { type Html, html } from "../../page/sendPage.ts"
import type { JsonSchema, Parameter } from "../openapi/jsonSchema.ts"

type Field = { name: string; schema: JsonSchema; required: boolean; place?: string }

/** The fields of a schema, and those of the objects in it: `source.header`, `data[].id`. */
export function renderFields(schema: JsonSchema): Html[] {
  const choices = schema.oneOf ?? []
  if (choices.length > 0)
    return choices.map((choice) => html`<p>${choice.title ?? "Either"}:</p>${renderFields(choice)}`)
  return renderList(fieldsOf(schema))
}

export function renderParameters(parameters: readonly Parameter[]): Html[] {
  return renderList(
    parameters.map(({ in: place, schema, description, ...parameter }) => ({
      ...parameter,
      place: `in the ${place}`,
      required: parameter.required ?? false,
      schema: { ...schema, ...(description === undefined ? {} : { description }) },
    })),
  )
}

function fieldsOf(schema: JsonSchema, above = ""): Field[] {
  return innerSchemas(schema).flatMap(([step, inner]) => {
    const name = above + step
    const isNamed = step.startsWith(".")
    const required = schema.required?.includes(step.slice(1)) ?? false
    return [
      ...(isNamed ? [{ name: name.replace(/^\./, ""), schema: inner, required }] : []),
      ...fieldsOf(inner, name),
    ]
  })
}

/** The schemas directly within a schema. */
function innerSchemas(schema: JsonSchema): [string, JsonSchema][] {
  const { properties = {}, items, additionalProperties, anyOf = [], oneOf = [], allOf = [] } = schema
  return [
    ...Object.entries(properties).map(([name, inner]): [string, JsonSchema] => [`.${name}`, inner]),
    ...(items ? [["[]", items] as [string, JsonSchema]] : []),
    ...(typeof additionalProperties === "object"
      ? [[".*", additionalProperties] as [string, JsonSchema]]
      : []),
    ...[...anyOf, ...oneOf, ...allOf].map((inner): [string, JsonSchema] => ["", inner]),
  ]
}

function renderList(fields: readonly Field[]): Html[] {
  if (fields.length === 0) return []
  const rows = fields.map(({ name, schema, required, place }) => {
    const facts = [...(place === undefined ? [] : [place]), ...(required ? ["required"] : [])].join(", ")
    const shown = schema.examples?.map((one) => html` Example: <code>${JSON.stringify(one)}</code>`) ?? []
    return html`<dt><code>${name}</code> ${typeOf(schema)}${facts && `, ${facts}`}</dt>
<dd>${schema.description ? inline(schema.description) : ""}${shown}</dd>
`
  })
  return [html`<dl>\n${rows}</dl>\n`]
}

/** In words: `string (uri)`, `list of Channel`, `integer or null`. */
export function typeOf(schema: JsonSchema): Html {
  const choices = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]
  if (choices.length > 0) return listOf(choices.map(typeOf))
  if (schema.$ref !== undefined) return linkTo(schema.$ref)
  if (schema.const !== undefined) return codeOf(schema.const)
  if (schema.enum) return listOf(schema.enum.map(codeOf))
  if (schema.items) return html`list of ${typeOf(schema.items)}`
  const type = [schema.type ?? "any"].flat().join(" or ")
  const limits = limitsOf(schema)
  return limits.length > 0 ? html`${type} (${limits.join(", ")})` : html`${type}`
}

function limitsOf({ format, pattern, minimum, maximum, minLength, maxLength, ...schema }: JsonSchema) {
  return [
    ...(format === undefined ? [] : [format]),
    ...(minimum === undefined ? [] : [`at least ${minimum}`]),
    ...(maximum === undefined ? [] : [`at most ${maximum}`]),
    ...(minLength === undefined ? [] : [`at least ${minLength} characters`]),
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
    ...(pattern === undefined ? [] : [`pattern ${pattern}`]),
    ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
  ]
}

function listOf(choices: readonly Html[]): Html {
  return html`${choices.map((choice, index) => (index === 0 ? choice : html` or ${choice}`))}`
}

const codeOf = (value: unknown) => html`<code>${JSON.stringify(value)}</code>`

/** A link to a schema of the page, by its reference in the document. */
export function linkTo(reference: string): Html {
  const name = reference.replace("#/components/schemas/", "")
  return html`<a href="#${schemaId(name)}">${name}</a>`
}

export const schemaId = (name: string) => `schema-${name}`

/** Text with code in backticks. */
export function inline(text: string): Html[] {
  return text.split("`").map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))
}

export function paragraphs(text: string): Html[] {
  return text.split("\n\n").map((paragraph) => html`<p>${inline(paragraph)}</p>\n`)
}
