import { duration } from "./time.ts"

export type Progress = {
  /** `done` of `total`, if they are known, and a text such as `resent 35, left out 4`. */
  update(state: { text: string; done: number; total: number | null }): void
  /** Must be called before anything else is printed. */
  end(): void
}

const barWidth = 24

/** `bar`: draws one line again and again. Otherwise each new text is a line. */
export function createProgress(
  stream: NodeJS.WriteStream,
  { note, bar }: { note: (text: string) => void; bar: boolean },
): Progress {
  if (!bar) return createLines(note)
  const start = performance.now()
  return {
    update({ text, done, total }) {
      const columns = (stream.columns ?? 80) - 1
      const line = `${drawBar(done, total)} ${text} ${timing(performance.now() - start, done, total)}`.trim()
      stream.write(`\r${[...line].slice(0, columns).join("")}\u001b[K`)
    },
    end: () => void stream.write("\r\u001b[K"),
  }
}

function createLines(note: (text: string) => void): Progress {
  let printed = ""
  return {
    update({ text }) {
      if (text !== printed && text !== "") note(text)
      printed = text
    },
    end() {},
  }
}

function drawBar(done: number, total: number | null): string {
  if (total === null || total === 0) return ""
  const share = Math.min(1, done / total)
  const filled = Math.round(share * barWidth)
  return `[${"#".repeat(filled)}${"-".repeat(barWidth - filled)}] ${Math.floor(share * 100)} %`
}

function timing(ms: number, done: number, total: number | null): string {
  if (total === null || done === 0 || done >= total) return `(${duration(ms)})`
  return `(about ${duration((ms * (total - done)) / done)} left)`
}
