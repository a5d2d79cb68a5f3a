import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { processRights } from "../../packages/database/src/roles.ts"

const root = join(import.meta.dirname, "../..")
const rights: Record<string, Record<string, string[]>> = processRights
const operations = new Map([
  ["from", "select"],
  ["join", "select"],
  ["insert into", "insert"],
  ["update", "update"],
  ["delete from", "delete"],
])

async function readTables(): Promise<string[]> {
  const schema = await readFile(join(root, "prisma/schema.prisma"), "utf8")
  const models = schema.match(/^model \w+ \{[\s\S]*?^\}/gm) ?? []
  return models.map((model) => /@@map\("(\w+)"\)/.exec(model)?.[1] ?? "")
}

/** What the SQL in a folder does with which table. */
async function readUses(folder: string, tables: string[]): Promise<Set<string>> {
  const uses = new Set<string>()
  const statement = new RegExp(`\\b(${[...operations.keys()].join("|")})\\s+(${tables.join("|")})\\b`, "gi")
  for (const file of await readdir(join(root, folder), { recursive: true })) {
    if (!file.endsWith(".ts") || file.endsWith(".test.ts")) continue
    const text = await readFile(join(root, folder, file), "utf8")
    for (const [, verb = "", table] of text.matchAll(statement))
      uses.add(`${operations.get(verb.toLowerCase())} ${table}`)
  }
  return uses
}

test.each([["trigger-gateway"], ["sync-scheduler"], ["webhook-dispatcher"]])(
  "%s's role has each right that its SQL needs",
  async (process) => {
    const tables = await readTables()
    expect(tables).toContain("delivery")
    for (const use of await readUses(`services/${process}/src`, tables)) {
      const [operation = "", table = ""] = use.split(" ")
      const allowed = rights[process]?.[table] ?? []
      expect([use, allowed.some((right) => right.split(" ")[0] === operation)]).toEqual([use, true])
    }
  },
)
