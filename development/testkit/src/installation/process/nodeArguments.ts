/**
 * The maximum size in MB of each of the three parts of V8's young generation. By default, V8 decides by the
 * machine's memory: 64 on a large machine, which a busy service fills. If the size is too small, V8 copies
 * objects of requests in flight to the old generation: a gateway used two fifths more CPU time at 8 than at
 * 32. A scheduler loses nothing at 8.
 *
 * V8 collects the young generation with several threads and stops the service until the last has finished.
 * Beside a busy database, the dispatcher waits less with one thread. The gateway would be
 * slower.
 */
const youngGeneration: Record<string, readonly string[]> = {
  "services/trigger-gateway": ["--max-semi-space-size=32"],
  "services/sync-scheduler": ["--max-semi-space-size=8"],
  "services/webhook-dispatcher": ["--max-semi-space-size=16", "--no-parallel-scavenge"],
}
const defaultYoungGeneration = ["--max-semi-space-size=16"]

/**
 * By default, V8 collects the old generation when it has grown to four times its live objects. The services
 * have few live objects, so collecting at 2.5 times saves memory for little CPU time. If
 * similar objects often survive, V8 would also allocate new ones directly in the old generation. There they
 * would become garbage, because the services' objects live for milliseconds.
 *
 * deploy/assemble/compile.ts must have the same arguments, because Node's compile cache is valid only with these.
 */
const oldGeneration = ["--heap-growing-percent=150", "--no-allocation-site-pretenuring"]

/** `deploy/Dockerfile` has the same arguments; a test compares them. */
export function nodeArguments(main: string): string[] {
  const workspace = main.replace(/\/src\/.*$/, "")
  return [...(youngGeneration[workspace] ?? defaultYoungGeneration), ...oldGeneration]
}

/**
 * By default, glibc gives each of V8's threads its own heap, and memory that one thread has freed cannot be
 * used for another: a busy dispatcher lost 28 MB. `deploy/Dockerfile` sets the same.
 */
export const nodeEnvironment = { MALLOC_ARENA_MAX: "1" }
