const flag = { type: "boolean" } as const
const text = { type: "string" } as const

/** Of all commands together. */
export const options = {
  help: { ...flag, short: "h" },
  secret: text,
  "secret-env": text,
  "retired-secret-env": text,
  "staged-secret-env": text,
  channel: text,
  "service-name": text,
  repeated: flag,
  corrected: flag,
  forged: flag,
  "re-encoded": flag,
  late: flag,
} as const

export type OptionValues = {
  [Name in keyof typeof options]?: (typeof options)[Name]["type"] extends "string" ? string : boolean
}
