import { localTime, relativeTime } from "./time.ts"

/** SGR codes that begin and end a style. Not `util.styleText`, which Node 20 has only from 20.18 on. */
const codes = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const

type Colour = keyof typeof codes

export type Style = {
  paint(colour: Colour, text: string): string
  state(text: string): string
  time(iso: string): string
  now: Date
  /** How many columns a line may have. Null: any number, because a program may read the output. */
  width: number | null
}

const stateColours: Record<string, Colour> = {
  delivered: "green",
  done: "green",
  changed: "green",
  unchanged: "green",
  ok: "green",
  active: "green",
  pending: "yellow",
  waiting: "yellow",
  warning: "yellow",
  expired: "yellow",
  running: "cyan",
  dead: "red",
  failed: "red",
  failing: "red",
  abandoned: "red",
  fault: "red",
  revoked: "red",
}

/** Without `colour`, the texts are plain. */
export function createStyle({ colour, width = null }: { colour: boolean; width?: number | null }): Style {
  const now = new Date()
  const paint = (name: Colour, text: string) => {
    const [begin, end] = codes[name]
    return colour ? `\u001b[${begin}m${text}\u001b[${end}m` : text
  }
  return {
    paint,
    state: (text) => {
      const name = stateColours[text]
      return name === undefined ? text : paint(name, text)
    },
    time: (iso) => `${localTime(iso)} (${relativeTime(iso, now)})`,
    now,
    width,
  }
}

/** True if `stream` is a terminal, unless NO_COLOR is set (no-color.org) or the terminal is "dumb". */
export function usesColour(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): boolean {
  if (env.NO_COLOR) return false
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== "0"
  return stream.isTTY === true && env.TERM !== "dumb"
}
