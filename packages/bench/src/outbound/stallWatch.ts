import { fdatasyncSync, openSync, writeSync } from "node:fs"

// Looks at the clock again and again or, with a file's name, writes to the disk; tells its parent when that took long.
const longMs = 8
const [file] = process.argv.slice(2)
const everyMs = file === undefined ? 2 : 20
const descriptor = file === undefined ? null : openSync(file, "w")
const block = Buffer.alloc(8_192)

let last = performance.now()
setInterval(() => {
  if (descriptor !== null) {
    writeSync(descriptor, block, 0, block.length, 0)
    fdatasyncSync(descriptor)
  }
  const now = performance.now()
  if (now - last > everyMs + longMs) {
    process.send?.({ from: performance.timeOrigin + last, to: performance.timeOrigin + now })
  }
  last = now
}, everyMs)
process.once("disconnect", () => process.exit(0))
