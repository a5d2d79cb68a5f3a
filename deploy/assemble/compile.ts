import { spawnSync } from "node:child_process"
import { chown, mkdir } from "node:fs/promises"
import { makeUniform } from "./makeUniform.ts"

/*
 * Writes Node's compile cache of a process: node compile.ts services/trigger-gateway/src/main.ts /out/app/.compiled
 *
 * Node finds a cached file by Node's version, V8's flags (`v8.cachedDataVersionTag()`), the architecture, the user's id
 * and the file's path. So this runs as the image's user, in the image's folder, and with those of the image's Node
 * arguments that change the compiled code. (The size of the young generation and the way in which it is collected were
 * found not to change it.) The features of the CPU do not matter: an emulated CPU of 2008 wrote the same bytes, and its
 * Node used those of a new CPU. `--help` imports what a start imports, except for some files that kafkajs loads when a
 * request needs them.
 */

const user = 65532
const nodeArguments = ["--heap-growing-percent=150", "--no-allocation-site-pretenuring"]

const [main = "", cache = ""] = process.argv.slice(2)
if (!main || !cache) throw new Error("usage: node compile.ts <main file> <folder of the cache>")
await mkdir(cache, { recursive: true })
await chown(cache, user, user)
// With --predictable, equal sources give equal files. Node uses them without it, too.
run(["--predictable"])
await makeUniform(cache)
// If Node does not use its cache, a process starts more slowly and does not report why. So check here. V8 can still reject
// what Node has read.
const uses = run([])
if (!/V8 code cache for .* was accepted/.test(uses) || /was rejected/.test(uses)) {
  throw new Error(`Node does not use its compile cache for ${main}; see NODE_DEBUG_NATIVE=COMPILE_CACHE`)
}

function run(further: readonly string[]): string {
  const started = spawnSync(process.execPath, [...nodeArguments, ...further, main, "--help"], {
    uid: user,
    gid: user,
    encoding: "utf8",
    maxBuffer: 64 << 20,
    env: { ...process.env, NODE_COMPILE_CACHE: cache, NODE_DEBUG_NATIVE: "COMPILE_CACHE" },
  })
  if (started.status !== 0) throw new Error(`${main} does not start: ${started.error ?? started.stderr}`)
  return started.stdout + started.stderr
}
