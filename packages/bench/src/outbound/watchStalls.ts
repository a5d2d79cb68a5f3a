import { spawn } from "node:child_process"
import { once } from "node:events"
import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"

type Stall = { from: number; to: number }

const watch = fileURLToPath(new URL("stallWatch.ts", import.meta.url))

/**
 * Watches for the machine standing still, as a virtual one does when its host has other work: a process for each
 * processor, bound to it, that only looks at the clock, and one that writes a block to the disk again and again. A stall
 * is 8 ms in which one of them did not get through; what is measured is done with a delivery in half of that. `file` is
 * what the block is written to. Linux only.
 */
export async function watchStalls(file: string) {
  const stalls: Stall[] = []
  const processors = Array.from({ length: availableParallelism() }, (_, at) => String(at))
  const commands = [
    ...processors.map((processor) => ["taskset", "--cpu-list", processor, process.execPath, watch]),
    [process.execPath, watch, file],
  ]
  const watchers = commands.map(([command = "", ...args]) =>
    spawn(command, args, { stdio: ["ignore", "inherit", "inherit", "ipc"] }).on("message", (stall) =>
      stalls.push(stall as Stall),
    ),
  )
  await Promise.all(watchers.map((watcher) => once(watcher, "spawn")))
  return {
    /** Whether the machine stood still between two times of `clockMs`. */
    stoodStill: (from: number, to: number) => stalls.some((stall) => stall.from < to && stall.to > from),
    async end() {
      const ends = watchers.map((watcher) => once(watcher, "exit"))
      for (const watcher of watchers) watcher.disconnect()
      await Promise.all(ends)
    },
  }
}

export type StallWatch = Awaited<ReturnType<typeof watchStalls>>
