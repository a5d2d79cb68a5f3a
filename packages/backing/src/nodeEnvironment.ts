/**
 * Megabytes of each of the three parts of V8's young generation, at most. V8 sizes it by the machine's memory, to 64 on a
 * large one, and a busy service fills it. A dispatcher on 8 delivers as fast; a gateway, whose waiting requests are
 * copied from part to part until they are old, took two fifths more CPU time on 8 than on 32.
 */
const youngMb: Record<string, number> = { "services/webhook-dispatcher": 8, "services/trigger-gateway": 32 }
const usualYoungMb = 16

/**
 * What Node is told, as environment variables, when it runs a service; `deploy/Dockerfile` tells it the same. What is
 * compiled is kept in `compileCache`, so that the next start takes half the time and 20 MB less, as nothing need be
 * stripped of its types again.
 */
export function nodeEnvironment({ main, compileCache }: { main: string; compileCache: string }) {
  const mb = youngMb[main.replace(/\/src\/.*$/, "")] ?? usualYoungMb
  return { NODE_OPTIONS: `--max-semi-space-size=${mb}`, NODE_COMPILE_CACHE: compileCache }
}
