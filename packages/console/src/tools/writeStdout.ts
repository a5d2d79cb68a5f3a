import { pipeline } from "node:stream/promises"
import { reasonOf } from "@sitewire/runtime"

/** Nobody got what was printed. */
export class UnprintedError extends Error {
  constructor(cause: unknown) {
    super(`standard output cannot be written (${reasonOf(cause)}). Send it to where it can be read.`, {
      cause,
    })
    this.name = "UnprintedError"
  }
}

/** Resolves once standard output has taken the text; rejects where it is closed or full. */
export async function printOut(text: string): Promise<void> {
  try {
    await pipeline([text], process.stdout, { end: false })
  } catch (error) {
    throw new UnprintedError(error)
  }
}
