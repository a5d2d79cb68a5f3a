import { declared } from "@sitewire/deploy/variables"
import { localVariables } from "./config.ts"

const known = new Set([...declared.values()].flatMap(Object.keys))
const chosen = new Set(["OPS_PORT", "SEALING_KEYS"])
const firstWord = (name: string) => name.split("_", 1)[0]
const firstWords = new Set([...known].map(firstWord))

/**
 * The variables of `env` that processes of Sitewire read, such as RETRY_DELAYS. `warn` is told of those that no process gets:
 * also of those that no process reads, if they begin with the same word as one that a process reads.
 */
export function passVariables(
  env: Readonly<Record<string, string | undefined>>,
  warn: (line: string) => void,
): Record<string, string> {
  const passed: Record<string, string> = {}
  for (const [name, value = ""] of Object.entries(env)) {
    if (value.trim() === "" || name in localVariables) continue
    if (chosen.has(name)) warn(`${name} is ignored: npm start chooses it for each process`)
    else if (known.has(name)) passed[name] = value
    else if (firstWords.has(firstWord(name))) warn(`${name} is ignored: Sitewire has no such variable`)
  }
  return passed
}
