import { styleText } from "node:util"
import { localTime, relativeTime } from "./time.ts"

type Colour = Parameters<typeof styleText>[0]

export type Style = {
  paint(colour: Colour, text: string): string
  state(text: string): string
  time(iso: string): string
  now: Date
}

const stateColours: Record<string, Colour> = {
  delivered: "green",
  done: "green",
  changed: "green",
  unchanged: "green",
  pending: "yellow",
  waiting: "yellow",
  running: "cyan",
  dead: "red",
  failed: "red",
  failing: "red",
  abandoned: "red",
}

/** Uses colours only if `stream` is a terminal and NO_COLOR is not set. */
export function styleFor(stream: NodeJS.WriteStream, now = new Date()): Style {
  const paint = (colour: Colour, text: string) => styleText(colour, text, { stream })
  return {
    paint,
    state: (text) => {
      const colour = stateColours[text]
      return colour === undefined ? text : paint(colour, text)
    },
    time: (iso) => `${localTime(iso)} (${relativeTime(iso, now)})`,
    now,
  }
}
