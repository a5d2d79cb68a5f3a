import {
  type Certification,
  type CertificationPoint,
  type CertificationSummary,
  certificationResultSchema,
  certificationSummarySchema,
  type PointFinding,
  pointFindingSchema,
  type SnippetLanguage,
  snippetLanguageSchema,
} from "@sitewire/contracts"
import type { Prisma } from "@sitewire/database/prisma"
import { explanations } from "@sitewire/signing/certification"
import { z } from "zod"
import { type Caller, nameOf } from "../../../auth/caller.ts"
import { columnsOf, responseOf } from "../../responseOf.ts"
import { shownAddress } from "../channelResponse.ts"
import { snippetFor } from "./snippets/snippetFor.ts"

export const certificationColumns = {
  ...columnsOf(certificationSummarySchema.omit({ channel: true, result: true })),
  channel_id: true,
  report: true,
} as const

type Row = Prisma.ReceiverCheckGetPayload<{ select: typeof certificationColumns }>

/** What a dispatcher stored. There is no report before the first point, and no result before the last. */
const reportSchema = z
  .object({ result: certificationResultSchema.nullable().default(null), points: z.array(pointFindingSchema) })
  .nullable()

/** Partners do not learn which operator requested a certification. */
export function certificationSummary(row: Row, caller: Caller): CertificationSummary {
  const showsRequester = caller.channels === "all" || row.requested_by === nameOf(caller)
  return responseOf(certificationSummarySchema, {
    ...row,
    channel: row.channel_id,
    address: shownAddress(row.channel_id, caller)(row.address),
    language: snippetLanguageSchema.nullable().parse(row.language),
    result: row.state === "done" ? (reportSchema.parse(row.report)?.result ?? null) : null,
    requested_by: showsRequester ? row.requested_by : null,
  })
}

export function certificationResponse(row: Row, caller: Caller): Certification {
  const summary = certificationSummary(row, caller)
  const points = reportSchema.parse(row.report)?.points ?? []
  return { ...summary, points: points.map((point) => explain(point, summary.language)) }
}

/** What a report says about the secret that is staged or retiring. */
export function rotationPointOf(report: unknown): PointFinding | undefined {
  return reportSchema.parse(report)?.points.find(({ id }) => id === "rotation")
}

function explain(point: PointFinding, language: SnippetLanguage | null): CertificationPoint {
  const { title, sent, why, fix } = explanations[point.id]
  const needsFix = point.result === "failed" || point.result === "warning"
  const code = needsFix && language !== null ? snippetFor(point.id, language) : null
  return {
    ...point,
    title,
    sent,
    why,
    fix: needsFix ? fix : null,
    snippet: code === null || language === null ? null : { language, code },
  }
}
