import type { AuditTargetKind, ProblemCode } from "@sitewire/contracts"
import type { z } from "zod"

/** An invalid field of a request, as a problem document lists it. `message` contains the field's name. */
export type FieldError = { field: string; message: string }

/** What a write changed, for the audit log. `changes` must not contain secrets or personal data. */
export type Audit = {
  target: { kind: AuditTargetKind; id: string }
  changes?: Record<string, { old: unknown; new: unknown }>
  /** Other resources that changed with this one. Each gets an entry of its own. */
  also?: readonly Omit<Audit, "also">[]
}

export type Success<Body> = { kind: "ok"; body: Body; headers?: Record<string, string>; audit?: Audit }

type Alternative = { kind: "alternative"; body: object }

/** `chunks` is null for a response without a body (304, HEAD). */
type Stream = {
  kind: "stream"
  status: number
  headers: Record<string, string>
  chunks: AsyncIterable<Uint8Array> | null
}

export type Problem = {
  kind: "problem"
  code: ProblemCode
  status: number
  detail: string
  errors?: FieldError[]
  /** For Retry-After. Default: a few seconds. */
  retryAfterSeconds?: number
}

/** The stored response to an earlier request with the same Idempotency-Key. */
export type Repeated = { kind: "repeated"; status: number; body: unknown; headers: Record<string, string> }

/** What a handler returns. Expected failures are problems; handleErrors.ts maps exceptions to 503 or 500. */
export type RouteResponse<Body = unknown> = Success<Body> | Alternative | Repeated | Stream | Problem

export function ok<Body>(
  body: Body,
  more: { headers?: Record<string, string>; audit?: Audit } = {},
): Success<Body> {
  return { kind: "ok", body, ...more }
}

/** The fields whose values differ, for an audit entry. A field that was not there is null. */
export function changesOf(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): NonNullable<Audit["changes"]> {
  const changed = Object.keys(after).filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]),
  )
  return Object.fromEntries(
    changed.map((field) => [field, { old: before[field] ?? null, new: after[field] ?? null }]),
  )
}

/**
 * The fields of a response, of the columns and values with their names. Whatever else `row` contains is omitted, such as the body of
 * a delivery. Times become texts.
 */
export function responseOf<Schema extends z.ZodObject>(schema: Schema, row: RowOf<Schema>): z.output<Schema> {
  const values: Record<string, unknown> = row
  const fields = Object.keys(schema.shape).map((name) => {
    const value = values[name]
    return [name, value instanceof Date ? value.toISOString() : value]
  })
  return Object.fromEntries(fields)
}

type RowOf<Schema extends z.ZodObject, Fields = z.output<Schema>> = {
  [Name in keyof Fields]: Fields[Name] | (string extends Fields[Name] ? Date : never)
}

/** The fields that a request contains, for Prisma, whose types do not allow `undefined`. JSON has none. */
export function given<Fields extends object>(fields: Fields) {
  return fields as { [Name in keyof Fields]: Exclude<Fields[Name], undefined> }
}

/** Prisma's `select` of the columns that these fields show. */
export function columnsOf<Name extends string>({
  shape,
}: {
  shape: Record<Name, unknown>
}): Record<Name, true> {
  return Object.fromEntries(Object.keys(shape).map((name) => [name, true])) as Record<Name, true>
}
