const createConcurrently = /^(?:\s|--.*\n)*create\s+(?:unique\s+)?index\s+concurrently\s+"?(\w+)"?\s+on\s/i

/**
 * The name of the index, if the migration begins with CREATE INDEX CONCURRENTLY, which builds an index while writers
 * continue. Postgres rejects the statement within a transaction, and therefore beside others in the same migration.
 */
export function concurrentIndex(script: string): string | null {
  return createConcurrently.exec(script)?.[1] ?? null
}
