import { z } from "zod"
import { timeSchema } from "../values/time.ts"
import { identifierSchema } from "./identifier.ts"
import { pageQuerySchema } from "./pagination.ts"

export const auditTargetKindSchema = z.enum([
  "channel",
  "connection",
  "delivery",
  "job",
  "key",
  "session",
  "sign_in_link",
])

export const auditQuerySchema = pageQuerySchema.extend({
  key: identifierSchema
    .optional()
    .meta({ description: "Only entries of this API key (its id).", examples: ["key_5f2c8e1a9b3d"] }),
  operation: z
    .string()
    .regex(/^[a-zA-Z]{1,64}$/, "must be an operationId of this document, such as changeChannel")
    .optional()
    .meta({ description: "Only entries of this operation (its `operationId` in this document)." }),
  target_kind: auditTargetKindSchema
    .optional()
    .meta({ description: "Only entries about resources of this kind." }),
  target: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .meta({
      description: "Only entries about the resource with this id. Needs `target_kind`.",
      examples: ["acme"],
      "x-rejections": ["target needs target_kind"],
    }),
  created_after: timeSchema.optional().meta({ description: "Only entries from this time on (inclusive)." }),
  created_before: timeSchema.optional().meta({ description: "Only entries before this time (exclusive)." }),
})

const changeSchema = z.object({
  old: z.unknown().meta({
    description: "The value before. null: the field was not set.",
    examples: ["https://old.example/"],
  }),
  new: z.unknown().meta({
    description: "The value after. null: the field is not set.",
    examples: ["https://partner.example/hooks/sitewire"],
  }),
})

export const auditEntrySchema = z
  .object({
    id: z.string(),
    created_at: z.iso.datetime(),
    key: z.object({ id: z.string(), name: z.string() }).meta({ description: "The API key of the caller." }),
    operation: z.string().meta({ description: "`operationId` of the route, such as changeChannel." }),
    target: z.object({ kind: auditTargetKindSchema, id: z.string() }),
    changes: z.record(z.string(), changeSchema).meta({
      description: "The changed fields with their values before and after. Never contains a secret.",
    }),
    request_id: z.string().meta({ description: "`X-Request-Id` of the request." }),
  })
  .meta({ id: "AuditEntry", description: "A write, or a read that revealed a secret or personal data." })

export type AuditEntry = z.infer<typeof auditEntrySchema>
export type AuditQuery = z.output<typeof auditQuerySchema>
export type AuditTargetKind = z.infer<typeof auditTargetKindSchema>
