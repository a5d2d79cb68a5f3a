import { z } from "zod"
import { calledUrl } from "../values/httpUrl.ts"
import { attemptErrorSchema, attemptSchema } from "./deliveries.ts"

const address = calledUrl.meta({
  description:
    "The address of the receiver. Default: the channel's notification address. Without the scope `operate`: at its scheme, host and port.",
  examples: ["https://test.partner.example/sitewire"],
})

/** How long a check may wait for a webhook-dispatcher. Later, its requester no longer expects it. */
export const claimableMs = { test: 30_000, certification: 10 * 60_000, address_change: 30_000 }

export const testDeliverySchema = z
  .object({
    delivery: z
      .uuid()
      .meta({ description: "The id that was sent in X-Sitewire-Delivery. It is not in the list." }),
    attempt: attemptSchema,
  })
  .meta({ id: "TestDelivery", description: "A delivery with fictional data, and what came back." })

/** What a dispatcher stores of a challenge. Nothing of the response but its status: a partner has chosen the address. */
export const challengeReportSchema = z.object({
  status: z.int().nullable(),
  /** Null: the receiver returned the challenge. */
  error: z.enum([...attemptErrorSchema.options, "not-returned"]).nullable(),
})

export const snippetLanguageSchema = z.enum(["node", "python", "java", "go", "php"])

export const certificationStateSchema = z.enum(["waiting", "running", "done", "failed"])

export const certificationResultSchema = z.enum(["passed", "failed"])

export const pointResultSchema = z.enum(["passed", "warning", "failed", "skipped"])

/** In the order in which a dispatcher checks them. */
export const pointIdSchema = z.enum([
  "genuine",
  "repeated",
  "forged-signature",
  "missing-signature",
  "re-encoded-body",
  "previous-secret",
  "rotation",
  "response-time",
  "burst",
])

export const receivedResponseSchema = z
  .object({
    delivery: z.uuid().meta({ description: "The id that was sent in X-Sitewire-Delivery." }),
    status: z
      .int()
      .nullable()
      .meta({ description: "null: there was no response.", examples: [204] }),
    error: attemptErrorSchema.nullable().meta({
      description: "Why there was no response; `status` for a status other than 2xx; null for 2xx.",
    }),
    detail: z.string().nullable().meta({ description: "More about the error. null: there is no more." }),
    duration_ms: z.number().meta({ description: "Until the head of the response.", examples: [41.7] }),
    response_excerpt: z.string().nullable().meta({
      description: "The first 200 characters of the response's body. Signatures and secrets are replaced.",
    }),
  })
  .meta({ id: "ReceivedResponse", description: "What the receiver responded to one request." })

/** What a dispatcher stores about a point. The API adds the explanations. */
export const pointFindingSchema = z.object({
  id: pointIdSchema,
  result: pointResultSchema.meta({
    description: "warning: works, but should be improved. skipped: it could not be checked.",
  }),
  finding: z.string().meta({
    description: "What was observed.",
    examples: ["It responded 204 although the signature is forged."],
  }),
  received: z.array(receivedResponseSchema).meta({ description: "In the order of the requests." }),
})

export const certificationPointSchema = pointFindingSchema
  .extend({
    title: z.string().meta({ examples: ["Rejects a forged signature"] }),
    sent: z.string().meta({
      description: "What was sent to the receiver.",
      examples: ["A delivery whose signature is forged."],
    }),
    why: z
      .string()
      .meta({ description: "Why the point matters.", examples: ["Anybody could send you invented sites."] }),
    fix: z
      .string()
      .nullable()
      .meta({
        description: "What to do. null: there is nothing to do.",
        examples: ["Compare the signature before you use the body."],
      }),
    snippet: z
      .object({ language: snippetLanguageSchema, code: z.string() })
      .nullable()
      .meta({ description: "Code that does it right. null: nothing to do, or no `language` was given." }),
  })
  .meta({ id: "CertificationPoint", description: "One thing that a receiver must do right." })

const summary = {
  id: z.string().meta({ examples: ["crt_0f1e2d3c4b5a69788796"] }),
  channel: z.string(),
  address: z.string().meta({ description: "The address of the receiver that is certified." }),
  language: snippetLanguageSchema.nullable().meta({ description: "The language of the snippets." }),
  state: certificationStateSchema.meta({
    description:
      "waiting: no dispatcher has claimed it yet. running: its points are added one by one. done: `result` is set. failed: it could not be run or finished; `error` says why.",
  }),
  result: certificationResultSchema.nullable().meta({
    description: "passed: no point failed. failed: at least one did. null: unless the state is done.",
  }),
  error: z.string().nullable().meta({ description: "Why the state is failed. Else null." }),
  requested_by: z.string().nullable().meta({
    description:
      "Id and name of the API key. null: another key than that of the channel's partner requested it.",
  }),
  created_at: z.iso.datetime(),
  finished_at: z.iso.datetime().nullable(),
}

export const certificationSummarySchema = z
  .object(summary)
  .meta({ id: "CertificationSummary", description: "A certification without its points." })

export const certificationSchema = z
  .object({
    ...summary,
    points: z
      .array(certificationPointSchema)
      .meta({ description: "In the order in which they are checked." }),
  })
  .meta({ id: "Certification", description: "Whether a receiver behaves correctly, point by point." })

/** The newest finished certification of the channel's address, as a channel shows it. */
export const lastCertificationSchema = z
  .object({
    id: z.string(),
    address: summary.address,
    result: certificationResultSchema.meta({ description: "passed: no point failed." }),
    finished_at: z.iso.datetime(),
  })
  .meta({ id: "LastCertification" })

export const createCertificationSchema = z
  .strictObject({
    language: snippetLanguageSchema.optional().meta({
      description: "The receiver's language: points that failed get a snippet in it. Default: no snippets.",
      examples: ["python"],
    }),
    address: address.optional(),
  })
  .optional()
  .meta({ id: "CreateCertification" })

export type TestDelivery = z.infer<typeof testDeliverySchema>
export type ChallengeReport = z.infer<typeof challengeReportSchema>
export type SnippetLanguage = z.infer<typeof snippetLanguageSchema>
export type PointId = z.infer<typeof pointIdSchema>
export type PointFinding = z.infer<typeof pointFindingSchema>
export type PointResult = z.infer<typeof pointResultSchema>
export type ReceivedResponse = z.infer<typeof receivedResponseSchema>
export type CertificationPoint = z.infer<typeof certificationPointSchema>
export type CertificationSummary = z.infer<typeof certificationSummarySchema>
export type Certification = z.infer<typeof certificationSchema>
export type CertificationResult = z.infer<typeof certificationResultSchema>
