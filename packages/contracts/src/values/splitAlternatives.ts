type ObjectSchema = { id?: string; properties?: Record<string, unknown>; required?: string[] }

/**
 * Changes the JSON Schema of an object that needs exactly one of the fields `names`: into `oneOf`, with a schema for
 * each of them. Generated clients name types after the titles.
 */
export function splitAlternatives(jsonSchema: object, what: string, names: readonly string[]): void {
  const { id: _, properties = {}, required = [], ...rest }: ObjectSchema = jsonSchema
  const alternatives = names.map((name) => ({
    ...rest,
    title: `${what} by ${name}`,
    properties: Object.fromEntries(
      Object.entries(properties).filter(([field]) => field === name || !names.includes(field)),
    ),
    required: [name, ...required],
  }))
  for (const key of Object.keys(jsonSchema)) delete (jsonSchema as Record<string, unknown>)[key]
  Object.assign(jsonSchema, { oneOf: alternatives })
}
