import { readFromProgram } from "../credentials/readFromProgram.ts"
import type { databaseVariables } from "./commonVariables.ts"
import { type Config, ConfigurationError } from "./config.ts"

type Settings = Pick<Config<typeof databaseVariables>, "DATABASE_URL" | "DATABASE_PASSWORD_COMMAND">

/** Where Postgres is, and how to log in. Call it once in a process: connections share what the program printed. */
export function databaseAccess({ DATABASE_URL: url, DATABASE_PASSWORD_COMMAND: command }: Settings): {
  url: string
  readPassword?: () => Promise<string>
} {
  if (command === undefined) return { url }
  if (/^[^/]+:\/\/[^/@]*:[^/@]+@/.test(url)) {
    throw new ConfigurationError(
      "DATABASE_PASSWORD_COMMAND is set, and DATABASE_URL contains a password: remove one of them.",
    )
  }
  return { url, readPassword: readFromProgram("DATABASE_PASSWORD_COMMAND", command) }
}
