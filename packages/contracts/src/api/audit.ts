import { z } from "zod"
import { plainText } from "../values/plainText.ts"
import { timeSchema } from "../values/time.ts"
import { booleanParameterSchema } from "./booleanParameter.ts"
import { identifierSchema } from "./identifier.ts"
import { pageQuerySchema } from "./pagination.ts"

export const auditTargetKindSchema = z.enum([
  "channel",
  "connection",
  "delivery",
  "job",
  "key",
  "operation",
  "incident",
  "session",
  "sign_in_link",
])

export const auditQuerySchema = pageQuerySchema.extend({
  key: identifierSchema.optional().describe("Only entries of this API key (its id)."),
  operation: z
    .string()
    .regex(/^[a-zA-Z]{1,64}$/, "must be an operationId of this document, such as changeChannel")
    .optional()
    .describe("Only entries of this operation (its `operationId` in this document)."),
  revealed: booleanParameterSchema
    .optional()
    .describe("true: only entries of operations that responded with a secret or with personal data."),
  target_kind: auditTargetKindSchema.optional().describe("Only entries about resources of this kind."),
  target: plainText
    .min(1)
    .max(64)
    .optional()
    .meta({
      description: "Only entries about the resource with this id. Needs `target_kind`.",
      "x-rejections": ["target needs target_kind"],
    }),
  created_after: timeSchema.optional().describe("Only entries from this time on (inclusive)."),
  created_before: timeSchema.optional().describe("Only entries before this time (exclusive)."),
})

const changeSchema = z.object({
  old: z.unknown().describe("The value before. null: the field was not set."),
  new: z.unknown().meta({
    description: "The value after. null: the field is not set.",
    examples: ["https://partner.example/hooks/sitewire"],
  }),
})

export const auditEntrySchema = z
  .object({
    id: z.string(),
    created_at: z.iso.datetime(),
    key: z.object({ id: z.string(), name: z.string() }).describe("The API key of the caller."),
    operation: z.string().describe("`operationId` of the route, such as changeChannel."),
    target: z.object({ kind: auditTargetKindSchema, id: z.string() }),
    changes: z
      .record(z.string(), changeSchema)
      .describe("The changed fields with their values before and after. Never contains a secret."),
    request_id: z.string().describe("`X-Request-Id` of the request."),
    client_address: z
      .string()
      .nullable()
      .describe(
        "IP address that the request came from (see TRUSTED_PROXIES). null: the entry is of the setup job, or of a command on the database.",
      ),
  })
  .meta({
    id: "AuditEntry",
    description:
      "A write, a read that revealed a secret or personal data, or (`denyRequest`) a request for which the key lacks the scope.",
  })

export type AuditEntry = z.infer<typeof auditEntrySchema>
export type AuditQuery = z.output<typeof auditQuerySchema>
export type AuditTargetKind = z.infer<typeof auditTargetKindSchema>
