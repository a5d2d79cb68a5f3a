import { createInterface } from "node:readline"
import { Writable } from "node:stream"

type Terminal = { stdin: NodeJS.ReadStream; stderr: NodeJS.WriteStream }

export function isTerminal({ stdin, stderr }: Terminal): boolean {
  return stdin.isTTY === true && stderr.isTTY === true
}

/** Reads one line from the terminal; "" if the user presses Ctrl-C or Ctrl-D. `hidden`: does not show it. */
export function ask(
  { stdin, stderr }: Terminal,
  question: string,
  { hidden = false }: { hidden?: boolean } = {},
): Promise<string> {
  const output = new Writable({
    write(chunk, _, done) {
      if (!hidden) stderr.write(chunk)
      done()
    },
  })
  const lines = createInterface({ input: stdin, output, terminal: true })
  return new Promise((resolve) => {
    lines.on("SIGINT", () => lines.close())
    lines.on("close", () => resolve(""))
    lines.question(question, (answer) => {
      resolve(answer)
      if (hidden) stderr.write("\n")
      lines.close()
    })
    if (hidden) stderr.write(question)
  })
}
