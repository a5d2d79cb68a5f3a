import { readdirSync, readFileSync } from "node:fs"
import { parse } from "yaml"
import { type Mutant, mutantSchema } from "./mutant.ts"

const folder = new URL("mutants/", import.meta.url)

/** Faults that reviews planted, by area. Each review adds some. A fault is removed when its code is gone. */
export const mutants: readonly Mutant[] = readdirSync(folder).flatMap((file) =>
  mutantSchema.array().parse(parse(readFileSync(new URL(file, folder), "utf8"))),
)
