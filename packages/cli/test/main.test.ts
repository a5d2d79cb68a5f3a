import { spawn } from "node:child_process"
import { once } from "node:events"
import { open } from "node:fs/promises"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))

test.each([[[]], [["--json"]]])(
  "an output that cannot be written is reported in one message with exit code 1, %j",
  async (args) => {
    // Opened read-only, so that every write fails, as on a full disk.
    const closed = await open(main, "r")
    const child = spawn(process.execPath, [main, "listen", "--list", ...args], {
      stdio: ["ignore", closed.fd, "pipe"],
    })
    let stderr = ""
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      stderr += text
    })
    const [[code]] = await Promise.all([once(child, "close"), closed.close()])
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining("cannot be written (EBADF)"),
    })
    if (args.length > 0) expect(JSON.parse(stderr)).toMatchObject({ exit_code: 1 })
    else expect(stderr.trimEnd().split("\n")).toHaveLength(1)
  },
)

test("a reader of the output may stop early", async () => {
  const child = spawn(process.execPath, [main, "listen", "--list"], { stdio: ["ignore", "pipe", "pipe"] })
  child.stdout.destroy()
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, "close")])
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
})
