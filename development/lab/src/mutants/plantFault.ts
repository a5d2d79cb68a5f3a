import { readFile, writeFile } from "node:fs/promises"
import { stripTypeScriptTypes } from "node:module"
import { join } from "node:path"
import type { Mutant } from "./mutant.ts"

export type Planted = { kind: "planted"; restore(): Promise<void> } | { kind: "not-planted"; why: string }

export async function plantFault(tree: string, { file, find, replace }: Mutant): Promise<Planted> {
  const path = join(tree, file)
  const text = await readFile(path, "utf8").catch(() => null)
  if (text === null) return { kind: "not-planted", why: `${file} does not exist` }
  const found = text.split(find).length - 1
  if (found !== 1) return { kind: "not-planted", why: `its text occurs ${found} times in ${file}, not once` }
  const faulty = text.replace(find, () => replace)
  const why = path.endsWith(".ts") ? syntaxErrorOf(faulty) : null
  if (why !== null) return { kind: "not-planted", why: `${file} could not be parsed with it: ${why}` }
  await writeFile(path, faulty)
  return { kind: "planted", restore: () => writeFile(path, text) }
}

/**
 * The parser's message, or null. A fault must not be a syntax error: this would fail every test, which says
 * nothing about the tests.
 */
function syntaxErrorOf(text: string): string | null {
  try {
    stripTypeScriptTypes(text)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
