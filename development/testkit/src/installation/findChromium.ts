import { existsSync } from "node:fs"

/** Debian's Chromium. The one without windows comes first: a page costs it a quarter less CPU time. */
const paths = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"]

/** Returns the path of the browser for tests and images: that of CHROMIUM, or Debian's. Throws if there is none. */
export function findChromium(env: NodeJS.ProcessEnv): string {
  const candidates = env.CHROMIUM === undefined ? paths : [env.CHROMIUM]
  const found = candidates.find((path) => existsSync(path))
  if (found !== undefined) return found
  throw new Error(
    `There is no Chromium at ${candidates.join(" or ")}. Install it (Debian: apt-get install chromium-headless-shell), or set CHROMIUM to the path of another one.`,
  )
}
