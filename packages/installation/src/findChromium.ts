import { existsSync } from "node:fs"

/** Debian's Chromium. The one without windows comes first: a page costs it a quarter less CPU time. */
const paths = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"]

/** Returns the path of the browser for tests and images: that of CHROMIUM, or Debian's. Throws if there is none. */
export function findChromium(env: NodeJS.ProcessEnv): string {
  const found = env.CHROMIUM ?? paths.find((path) => existsSync(path))
  if (found !== undefined && existsSync(found)) return found
  throw new Error(
    `There is no Chromium at ${found ?? paths.join(" or ")}. Install it (Debian: apt-get install chromium-headless-shell), or set CHROMIUM to the path of another one.`,
  )
}
