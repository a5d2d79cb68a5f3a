import { expect, test } from "vitest"
import { isUnavailable } from "./isUnavailable.ts"
import { openPool } from "./pool.ts"

/** Set by vitest's global setup. */
const postgresAddress = process.env.DATABASE_URL ?? ""

async function failureOf(statements: string[], values: unknown[] = []): Promise<unknown> {
  const pool = openPool({ url: postgresAddress, size: 1, name: "test", statementTimeoutMs: 500 })
  try {
    const last = statements.pop() ?? ""
    for (const statement of statements) await pool.sql(statement)
    await pool.sql(last, values)
    throw new Error("it did not fail")
  } catch (error) {
    return error
  } finally {
    await pool.close()
  }
}

const table = "create temporary table thing (id int primary key, name varchar(3))"

test.each([
  ["too long a text", [table, "insert into thing values (1, $1)"], ["long"]],
  ["a text with a null byte", [table, "insert into thing values (1, $1)"], ["a\u0000"]],
  ["a number out of range", [table, "insert into thing values ($1::numeric::int)"], ["3000000000"]],
  ["a text for a number", [table, "insert into thing values ($1::text::int)"], ["x"]],
])("%s is no outage: the value is wrong", async (_, statements, values) => {
  const error = await failureOf([...statements], values)
  expect(error).toMatchObject({ code: expect.any(String) })
  expect(isUnavailable(error)).toBe(false)
})

test.each([
  [
    "a column that a newer version wants filled",
    [`${table}; alter table thing add tenant text not null`, "insert into thing values (1)"],
  ],
  [
    "a check that a newer version has added",
    [`${table}; alter table thing add check (id > 5)`, "insert into thing values (1)"],
  ],
  [
    "a table without a partition for the row",
    ["create temporary table parted (id int) partition by list (id)", "insert into parted values (1)"],
  ],
  ["a column that is not there", [table, "insert into thing (nothing) values (1)"]],
])("%s is no outage: whoever meets it must stop", async (_, statements) => {
  const error = await failureOf([...statements])
  expect(error).toMatchObject({ code: expect.any(String) })
  expect(isUnavailable(error)).toBe(false)
})

test("a statement that takes too long is tried again", async () => {
  expect(isUnavailable(await failureOf(["select pg_sleep(5)"]))).toBe(true)
})

test("a database that is closed to connections is away", async () => {
  const admin = openPool({ url: postgresAddress, size: 1, name: "test" })
  const closed = new URL(postgresAddress)
  closed.pathname = "/closed_to_us"
  const pool = openPool({ url: closed.href, size: 1, name: "test" })
  try {
    await admin.sql("create database closed_to_us allow_connections false")
    const error = await pool.sql("select 1").catch((error: unknown) => error)
    expect(error).toMatchObject({ code: "55000" })
    expect(isUnavailable(error)).toBe(true)
  } finally {
    await pool.close()
    await admin.sql("drop database if exists closed_to_us")
    await admin.close()
  }
})

test("so is one whose table was altered beneath its plan", async () => {
  const pool = openPool({ url: postgresAddress, size: 1, name: "test" })
  try {
    await pool.sql("create table altered_beneath (id int, name varchar(3))")
    const read = () => pool.sql("select * from altered_beneath", [], "read")
    await read()
    await pool.sql("alter table altered_beneath alter name type text")
    const error = await read().catch((error: unknown) => error)
    expect(error).toMatchObject({ code: "0A000" })
    expect(isUnavailable(error)).toBe(true)
    expect(await read()).toEqual([])
  } finally {
    await pool.sql("drop table altered_beneath")
    await pool.close()
  }
})

test.each(["EMFILE", "EAI_AGAIN", "ENOENT", "EHOSTDOWN", "EPROTO"])("%s is an outage", (code) => {
  expect(isUnavailable(Object.assign(new Error("no"), { code }))).toBe(true)
})

test.each([
  "CERT_HAS_EXPIRED",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
])("a certificate that somebody must renew (%s) is an outage", (code) => {
  expect(isUnavailable(Object.assign(new Error("certificate"), { code }))).toBe(true)
})

test.each(["26000", "42P05"])(
  "a pooler's connection without our prepared statements (%s) is an outage",
  (code) => {
    expect(isUnavailable(Object.assign(new Error("prepared statement"), { code }))).toBe(true)
  },
)
