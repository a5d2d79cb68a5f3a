import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { promisify } from "node:util"
import { waitUntil } from "@sitewire/testkit"
import { findProgram, needs } from "@sitewire/testkit/needs"
import { expect, test } from "vitest"
import { freeze } from "./freeze.ts"

for (const tool of ["ps", "pgrep"]) needs(() => findProgram(tool, "Debian: apt-get install procps."))

test("a frozen server's processes stop, those that it has started too, and run again afterwards", async () => {
  const server = spawn("/bin/sh", ["-c", "sleep 60 & echo $!; wait"], { stdio: ["ignore", "pipe", "ignore"] })
  const [line] = (await once(server.stdout, "data")) as [Buffer]
  const pids = [Number(server.pid), Number(line.toString())]
  const isStopped = async (pid: number) =>
    (await promisify(execFile)("ps", ["-o", "stat=", "-p", String(pid)])).stdout.startsWith("T")
  const areStopped = async () => (await Promise.all(pids.map(isStopped))).join()
  try {
    const unfreeze = await freeze({ pid: server.pid, halt: async () => {}, resume: async () => {} })
    await waitUntil("both to be stopped", async () => (await areStopped()) === "true,true")
    await unfreeze()
    await waitUntil("both to run again", async () => (await areStopped()) === "false,false")
  } finally {
    for (const pid of pids) process.kill(pid, "SIGKILL")
  }
  expect(await once(server, "exit")).toEqual([null, "SIGKILL"])
})
