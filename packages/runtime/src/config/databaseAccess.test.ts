import { expect, test } from "vitest"
import { databaseVariables } from "./commonVariables.ts"
import { readConfig } from "./config.ts"
import { databaseAccess } from "./databaseAccess.ts"

const read = (env: Record<string, string>) => databaseAccess(readConfig(databaseVariables, env))

test("the password is in the address or comes from a program, and not both", async () => {
  const url = "postgresql://sitewire:s3cret@db.example/sitewire"
  expect(read({ DATABASE_URL: url })).toEqual({ url })
  const withProgram = (address: string) =>
    read({ DATABASE_URL: address, DATABASE_PASSWORD_COMMAND: "printf %s token" })
  expect(() => withProgram(url)).toThrow("remove one of them")
  expect(() => withProgram(url)).not.toThrow(/s3cret/)
  for (const name of ["sitewire@", "sitewire:@", ""]) {
    const { readPassword } = withProgram(`postgresql://${name}db.example:5432/sitewire?sslmode=verify-full`)
    expect(await readPassword?.()).toBe("token")
  }
})
