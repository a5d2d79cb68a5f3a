import { identifierSchema } from "@sitewire/contracts"
import { z } from "zod"
import { ok } from "../../http/response.ts"
import { describeChannels } from "../../incidents/describeChannels.ts"
import { type IncidentRow, incidentColumns } from "../../incidents/incidentRow.ts"
import { isPartOfNone, rank } from "../../incidents/rank.ts"
import { implement } from "../implement.ts"
import { newestFirst, readPage } from "../pagination.ts"
import { incidentResponse } from "./incidentResponse.ts"

export const listIncidents = implement("listIncidents", async ({ sql }, { query }) => {
  const isOpen = query.state === "open"
  const listing = isOpen ? byRank : newestFirst
  const page = await readPage<IncidentRow & { rank: string }, [string, string]>(query, {
    ...listing,
    read(after, count) {
      const values: unknown[] = []
      const value = (one: unknown) => `$${values.push(one)}`
      const conditions = ["true"]
      if (query.state !== undefined) conditions.push(`resolved_at is ${isOpen ? "" : "not "}null`)
      if (query.kind !== undefined) conditions.push(`kind = ${value(query.kind)}`)
      else if (isOpen) conditions.push(isPartOfNone)
      if (query.subject !== undefined) conditions.push(`subject_id = ${value(query.subject)}`)
      if (query.created_after !== undefined)
        conditions.push(`created_at >= ${value(query.created_after)}::timestamptz`)
      if (query.created_before !== undefined)
        conditions.push(`created_at < ${value(query.created_before)}::timestamptz`)
      const key = isOpen ? rank : "created_at"
      const type = isOpen ? "text" : "timestamptz"
      if (after) conditions.push(`(${key}, id) < (${value(after[0])}::${type}, ${value(after[1])})`)
      return sql(
        `select ${incidentColumns}, ${rank} as rank from incident
          where ${conditions.join(" and ")} order by ${key} desc, id desc limit ${count}`,
        values,
      )
    },
  })
  if (page.kind === "problem") return page
  return ok({
    data: page.rows.map(incidentResponse),
    next_cursor: page.next_cursor,
    channels: await describeChannels(sql),
  })
})

/** Of open incidents. Their ranks change, so a client that reads page after page may miss one whose rank rises meanwhile. */
const byRank = {
  key: z.tuple([z.string(), identifierSchema]),
  keyOf: ({ rank, id }: { rank: string; id: string }): [string, string] => [rank, id],
}
