import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, open, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { closedPort, waitUntil } from "@sitewire/testkit"
import { expect, onTestFinished, test } from "vitest"
import { exitCodes } from "../src/errors/exitCodes.ts"
import { cliEnvironment, main, runCli } from "./fixtures/runCli.ts"
import { body, header, secret } from "./fixtures/signedBody.ts"

const env = { S: secret }
const verify = ["verify", "--secret-env", "S", "--header", header]

test("the process ends with each exit code of the help text, also if Kafka does not respond", async () => {
  const broker = `127.0.0.1:${await closedPort()}`
  const uses = {
    success: runCli(verify, { input: body, env }),
    failed: runCli(verify, { input: `${body} `, env }),
    incorrectUsage: runCli(["channel", "destroy"]),
    unreachable: runCli(["event", "publish", "--channel", "acme", "--kafka", broker]),
  }
  const help = await runCli(["--help"])
  for (const [name, code] of Object.entries(exitCodes)) {
    expect(await uses[name as keyof typeof exitCodes], name).toMatchObject({ code })
    expect(help.stdout).toMatch(new RegExp(`^  ${code}  \\S`, "m"))
  }
})

test("files are found in the folder in which the user called npm", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sitewire-cli-"))
  await Promise.all([writeFile(join(folder, "body.json"), body), writeFile(join(folder, "secret"), secret)])
  const args = ["verify", "--secret-file", "secret", "--header", header, "--body-file", "body.json"]
  const byNpm = { npm_lifecycle_event: "sitewire", INIT_CWD: folder }
  expect(await runCli(args, { env: byNpm })).toMatchObject({ code: 0 })
})

test("Ctrl-C ends a command that runs until it is interrupted, with exit code 0", async () => {
  const child = spawn(process.execPath, [main, "listen", "--port", "0"], {
    env: cliEnvironment,
    stdio: ["ignore", "ignore", "pipe"],
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  let stderr = ""
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    stderr += chunk
  })
  await waitUntil("listen to listen", () => stderr.includes("Listening on"))
  child.kill("SIGINT")
  expect(await once(child, "exit")).toEqual([0, null])
})

test.each([[[]], [["--json"]]])(
  "an output that cannot be written is reported in one message with exit code 1, %j",
  async (args) => {
    // Opened read-only, so that every write fails, as on a full disk.
    const closed = await open(main, "r")
    const child = spawn(process.execPath, [main, "listen", "--list", ...args], {
      env: cliEnvironment,
      stdio: ["ignore", closed.fd, "pipe"],
    })
    const [stderr, [code]] = await Promise.all([
      child.stderr ? text(child.stderr) : "",
      once(child, "close"),
      closed.close(),
    ])
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining("cannot be written (EBADF)"),
    })
    if (args.length > 0) expect(JSON.parse(stderr)).toMatchObject({ exit_code: 1 })
    else expect(stderr.trimEnd().split("\n")).toHaveLength(1)
  },
)

test("a reader of the output may stop early", async () => {
  const child = spawn(process.execPath, [main, "listen", "--list"], {
    env: cliEnvironment,
    stdio: ["ignore", "pipe", "pipe"],
  })
  child.stdout.destroy()
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, "close")])
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
})
