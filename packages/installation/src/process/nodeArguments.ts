/**
 * First, megabytes of each of the three parts of V8's young generation, at most. V8 sizes it by the machine's memory, to 64
 * on a large one, and a busy service fills it. It must hold what is allocated while one delivery or request is under way,
 * or all of that is copied until it is old: a gateway took two fifths more CPU time on 8 than on 32. A scheduler takes in
 * triggers as fast on 8, and 30 MB less.
 *
 * V8 collects the young generation with several threads, and the service stands still until the last of them has had a
 * processor. Beside a busy database that is longer than one thread takes: decision 0019. A gateway is the slower for it.
 */
const young: Record<string, readonly string[]> = {
  "services/trigger-gateway": ["--max-semi-space-size=32"],
  "services/sync-scheduler": ["--max-semi-space-size=8"],
  "services/webhook-dispatcher": ["--max-semi-space-size=16", "--no-parallel-scavenge"],
}
const usualYoung = ["--max-semi-space-size=16"]

/**
 * What of a start is compiled depends on these, so an image's files must be compiled with the same (deploy/install.sh).
 *
 * V8 lets the old generation grow to four times what was alive in it before it looks for garbage again. A service's live
 * objects are bounded and few (30 MB in a busy dispatcher), so collecting at 2.5 times costs little. At 1.6 times a
 * dispatcher holds 25 MB less and takes a sixteenth more processor time: decision 0016.
 *
 * And where objects mostly outlive a collection of the young generation, V8 goes over to making their like old at once.
 * Ours live for the milliseconds of one delivery or request, so that nearly all is garbage soon, and with it whatever
 * it refers to stays until the old generation is collected: decision 0019.
 */
const oldGeneration = ["--heap-growing-percent=150", "--no-allocation-site-pretenuring"]

/** What Node is told when it runs a service; `deploy/Dockerfile` tells it the same. */
export function nodeArguments(main: string): string[] {
  return [...(young[main.replace(/\/src\/.*$/, "")] ?? usualYoung), ...oldGeneration]
}

/**
 * What Node's C library is told by the environment; `deploy/Dockerfile` tells it the same. Left to itself, glibc gives each
 * thread of V8's a heap of its own, and what is freed in one is of no use to another: a busy dispatcher held 28 MB in them.
 */
export const nodeEnvironment = { MALLOC_ARENA_MAX: "1" }
