import { styleText } from "node:util"
import { age, localTime } from "./time.ts"

type Colour = Parameters<typeof styleText>[0]

/** How one output is written: its colours, and the moment against which ages are told. */
export type Style = {
  paint(colour: Colour, text: string): string
  state(text: string): string
  /** Local time and age. */
  moment(iso: string): string
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

/** Colours only where `stream` is a terminal, and never against NO_COLOR. */
export function styleFor(stream: NodeJS.WriteStream, now = new Date()): Style {
  const paint = (colour: Colour, text: string) => styleText(colour, text, { stream })
  return {
    paint,
    state: (text) => {
      const colour = stateColours[text]
      return colour === undefined ? text : paint(colour, text)
    },
    moment: (iso) => `${localTime(iso)} (${age(iso, now)})`,
    now,
  }
}
