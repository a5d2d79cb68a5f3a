import { pipeline } from "node:stream/promises"
import { reasonOf } from "@sitewire/runtime"

export class StdoutError extends Error {
  constructor(cause: unknown) {
    super(
      `standard output cannot be written (${reasonOf(cause)}). Send it to a terminal, file or pipe that is open.`,
      {
        cause,
      },
    )
    this.name = "StdoutError"
  }
}

/** Resolves once the text is written; rejects with a StdoutError if standard output is closed or full. */
export async function writeStdout(text: string): Promise<void> {
  try {
    await pipeline([text], process.stdout, { end: false })
  } catch (error) {
    throw new StdoutError(error)
  }
}
