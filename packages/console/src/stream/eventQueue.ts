/** More than this is waiting only if the client does not read. */
const maxWaitingBytes = 4 * 1024 * 1024

export type EventQueue = {
  chunks: AsyncIterable<Uint8Array>
  /** Aborted if the client does not read. */
  cutOff: AbortSignal
  push(text: string): void
  /** Ends the response after what was pushed. */
  end(): void
}

/**
 * The chunks of a streamed response. A client that does not read is disconnected. `onClose` is called once, when the
 * response has ended for any reason.
 */
export function createEventQueue(onClose: () => void): EventQueue {
  const waiting: Uint8Array[] = []
  let waitingBytes = 0
  let ended = false
  const cutOff = new AbortController()
  let wake: (() => void) | undefined

  function close(): void {
    if (ended) return
    ended = true
    onClose()
  }

  async function next(): Promise<IteratorResult<Uint8Array>> {
    for (;;) {
      const chunk = waiting.shift()
      if (chunk) {
        waitingBytes -= chunk.length
        return { done: false, value: chunk }
      }
      if (ended) return { done: true, value: undefined }
      const { promise, resolve } = Promise.withResolvers<void>()
      wake = resolve
      await promise
    }
  }

  return {
    cutOff: cutOff.signal,
    // Not a generator: its `return` would wait for the next chunk.
    chunks: {
      [Symbol.asyncIterator]: () => ({
        next,
        async return() {
          close()
          wake?.()
          return { done: true, value: undefined }
        },
      }),
    },
    push(text) {
      if (ended) return
      const chunk = Buffer.from(text)
      waiting.push(chunk)
      waitingBytes += chunk.length
      if (waitingBytes > maxWaitingBytes) {
        close()
        cutOff.abort(new Error(`the client did not read its stream: ${waitingBytes} bytes were waiting`))
      }
      wake?.()
    },
    end() {
      close()
      wake?.()
    },
  }
}
