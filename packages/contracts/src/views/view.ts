/**
 * One thing that a reader sees of a row, in a list or on its own. Views import types only: the page must not load zod, nor the
 * CLI React.
 */
export type Field<Row> = {
  /** Unique in its list. */
  name: string
  /** In lower case, as inside a sentence. */
  label: string
  // A method, so that a list of fields is one of unknown rows, too.
  value(row: Row, now: Date): Value
  as: Format
  /** Shown instead of null and of an empty list, which otherwise show nothing. */
  none?: string
}

type Value = string | number | boolean | readonly string[] | null | undefined

/** `ago`: how long ago, or in what time. `id`: text that is never cut. `bad`: what should not be. */
type Format = "text" | "id" | "state" | "bad" | "time" | "ago" | "duration"

/** A field of a form of the page. */
export type Input<Row> = {
  name: keyof Row & string
  label: string
  hint?: string
  kind: "url" | "email" | "number" | "switch"
  /** What it means to leave the field empty. Without it, the field is required. */
  empty?: string
  placeholder?: string
  max?: number
  /** A key of the noun itself may change it, too. */
  own?: true
}

type Options<Row> = Partial<Omit<Field<Row>, "name">>

/** The name of a property of the row or, with `value`, any name; label and format follow from it. */
type Definition<Row> =
  | (keyof Row & string)
  | readonly [name: keyof Row & string, options: Options<Row>]
  | readonly [name: string, options: Options<Row> & Pick<Field<Row>, "value">]

export function fields<Row>(...definitions: readonly Definition<Row>[]): readonly Field<Row>[] {
  return definitions.map((definition) => {
    const [name, options]: readonly [string, Options<Row>] =
      typeof definition === "string" ? [definition, {}] : definition
    return {
      name,
      label: name.replace(/_(at|ms)$/, "").replaceAll("_", " "),
      value: (row) => row[name as keyof Row] as Value,
      as: formatOf(name),
      ...options,
    }
  })
}

function formatOf(name: string): Format {
  if (/(_at|since)$/.test(name)) return "time"
  if (/_ms$/.test(name)) return "duration"
  if (/^(state|health|(last_)?outcome)$/.test(name)) return "state"
  return name === "id" ? "id" : "text"
}
