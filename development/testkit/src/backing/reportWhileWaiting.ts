import type { Progress } from "./types.ts"

export async function reportWhileWaiting<T>(
  progress: Progress,
  what: string,
  work: () => Promise<T>,
): Promise<T> {
  const began = Date.now()
  progress(what, "waiting")
  const timer = setInterval(
    () => progress(`${what}: ${Math.round((Date.now() - began) / 1000)} s so far`, "waiting"),
    5_000,
  )
  try {
    return await work()
  } finally {
    clearInterval(timer)
  }
}
