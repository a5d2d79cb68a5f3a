import { splitStatements } from "./splitStatements.ts"

const createConcurrently = /^create\s+(?:unique\s+)?index\s+concurrently\s+"?(\w+)"?\s+on\s/i

/**
 * The name of the index, if the migration is a single CREATE INDEX CONCURRENTLY, which Postgres rejects within a
 * transaction. It builds the index while writers continue.
 */
export function concurrentIndex(script: string): string | null {
  const statements = splitStatements(script)
  const name = createConcurrently.exec(statements[0] ?? "")?.[1] ?? null
  if (name !== null && statements.length > 1)
    throw new Error(
      `The migration that creates "${name}" concurrently has other statements, which would make it a transaction. Put CREATE INDEX CONCURRENTLY into a migration of its own.`,
    )
  return name
}
