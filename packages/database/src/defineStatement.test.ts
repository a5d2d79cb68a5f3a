import { expect, test } from "vitest"
import { defineStatement } from "./defineStatement.ts"
import type { Sql } from "./pool.ts"

test("a named parameter is one position, however often it occurs, and its cast stays", async () => {
  const calls: unknown[][] = []
  const sql: Sql = async (...call) => {
    calls.push(call)
    return []
  }
  const find = defineStatement("find", "select $limit::int from t where id = any ($ids::text[]) limit $limit")
  await find(sql, { ids: ["a"], limit: 2 })
  expect(calls).toEqual([["select $1::int from t where id = any ($2::text[]) limit $1", [2, ["a"]], "find"]])
})

test("a parameter without a value is an error that names it", () => {
  const find = defineStatement("find", "select $missing")
  expect(() => find(async () => [], {})).toThrow("the statement got no value for $missing")
})
