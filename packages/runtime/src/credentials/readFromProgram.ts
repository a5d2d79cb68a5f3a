import { type ExecFileException, execFile } from "node:child_process"
import { type Credential, cacheCredential } from "./cacheCredential.ts"

const maxBytes = 64 * 1024

/** Connections that are opened one after the other, such as those of a pool, need the program only once. */
const reuseForMs = 10_000

/**
 * Returns a function that runs a program, without a shell, and resolves with the line that it prints. `variable` is the
 * variable with the command: the program and its arguments, separated by spaces. Errors contain nothing that was printed.
 */
export function readFromProgram(variable: string, command: string, withinMs = 10_000): () => Promise<string> {
  return cacheCredential(async (): Promise<Credential> => {
    const value = await run(variable, command, withinMs)
    return { value, reuseForMs, validForMs: reuseForMs }
  })
}

function run(variable: string, command: string, withinMs: number): Promise<string> {
  const [program = "", ...args] = command.trim().split(/\s+/)
  return new Promise((resolve, reject) => {
    const fail = (why: string) =>
      reject(
        new Error(
          `The program of ${variable} ${why}. Run it as this process does, and correct it or the variable.`,
        ),
      )
    const limits = { timeout: withinMs, killSignal: "SIGKILL", maxBuffer: maxBytes } as const
    execFile(program, args, limits, (error, printed) => {
      const line = printed.replace(/\r?\n$/, "")
      if (error !== null) fail(whyFailed(error, withinMs))
      else if (line === "") fail("printed nothing")
      else if (/\p{Cc}/u.test(line)) fail("printed more than one line of text")
      else resolve(line)
    })
  })
}

/** The message of such an error contains what the program printed. */
function whyFailed({ code, killed, signal }: ExecFileException, withinMs: number): string {
  if (code === "ENOENT") return "was not found"
  if (code === "EACCES") return "may not be executed"
  if (code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") return `printed more than ${maxBytes} bytes`
  if (killed) return `did not end within ${withinMs / 1_000} s`
  return signal ? `was ended by ${signal}` : `ended with the exit code ${code}`
}
